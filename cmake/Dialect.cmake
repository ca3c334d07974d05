# The kernel dialect (docs/decisions/0003-kernel-dialect.md): compiles every header that is written in it with each
# compiler that is found, as the tests dialect_<compiler>. nvcc is called directly, because CMake 3.25 does not know
# C++20 for CUDA and a machine without nvcc must configure too.
function(bolide_dialect_tests)
  find_program(BOLIDE_CLANG NAMES clang++-19 clang++)
  find_program(BOLIDE_NVCC nvcc HINTS /usr/local/cuda/bin)
  set(script ${CMAKE_SOURCE_DIR}/tests/arith/dialect_compile.sh)
  set(cxx_flags -std=c++20 -Wall -Wextra -Wpedantic -Wshadow -Wold-style-cast -Werror -ffp-contract=off)

  add_test(NAME dialect_host COMMAND ${script} cc ${CMAKE_CXX_COMPILER} ${cxx_flags})
  set(tests dialect_host)
  if(BOLIDE_CLANG)
    add_test(NAME dialect_clang COMMAND ${script} cc ${BOLIDE_CLANG} ${cxx_flags})
    list(APPEND tests dialect_clang)
  endif()
  if(BOLIDE_NVCC)
    add_test(NAME dialect_nvcc COMMAND ${script} cu ${BOLIDE_NVCC} -std=c++20 -arch=sm_90a -fmad=false -ftz=true
                                       --Werror all-warnings)
    list(APPEND tests dialect_nvcc)
  endif()
  set_tests_properties(${tests} PROPERTIES LABELS fast)
endfunction()
