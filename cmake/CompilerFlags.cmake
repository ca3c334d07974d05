# Flags of all our targets. The arithmetic (design: arithmetic.md rule 0) needs strict binary32: no contraction, no fast math.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

option(BOLIDE_FUZZ "Build the libFuzzer targets (clang only)" OFF)
set(BOLIDE_SANITIZE "" CACHE STRING "Sanitizers, as for -fsanitize=")

add_library(bolide_flags INTERFACE)
target_include_directories(bolide_flags INTERFACE ${CMAKE_SOURCE_DIR}/src)
target_compile_options(bolide_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror)
# Designated initializers name what differs from the defaults.
target_compile_options(bolide_flags INTERFACE -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC 12 sees overflows in fmt's buffers that are not there (GCC bug 107852 and its kin).
  target_compile_options(bolide_flags INTERFACE -Wno-stringop-overflow)
endif()
target_compile_options(bolide_flags INTERFACE -ffp-contract=off -fno-math-errno)

# The smallest processors we support: fused multiply-add must be an instruction, or every fma is a library call
# (docs/decisions/0002-processor-baseline.md).
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(bolide_flags INTERFACE -march=x86-64-v3)
endif()

if(BOLIDE_SANITIZE)
  target_compile_options(bolide_flags INTERFACE -fsanitize=${BOLIDE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(bolide_flags INTERFACE -fsanitize=${BOLIDE_SANITIZE})
endif()

find_program(BOLIDE_CCACHE ccache)
if(BOLIDE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${BOLIDE_CCACHE})
endif()
