#!/usr/bin/env bash
# Compiles one file that includes every header of the kernel dialect, those in src/ whose first line begins with
# "// Kernel dialect:". Usage: dialect_compile.sh EXTENSION COMPILER [FLAG...]
set -euo pipefail

source_dir="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../src" && pwd)"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
unit="$folder/dialect.$1"
shift

{
  echo '#include "base/dialect.h"'
  # Inline functions that nobody calls are not translated: mark them as called, so that the device code is made too.
  echo '#if defined(__CUDACC__)'
  echo '#undef BOLIDE_FN'
  echo '#define BOLIDE_FN __host__ __device__ __attribute__((used)) inline'
  echo '#endif'
  find "$source_dir" -name '*.h' | sort | while IFS= read -r header; do
    # read rather than head: the first line only, whatever the size of the file
    IFS= read -r first <"$header" || true
    if [[ $first == "// Kernel dialect:"* ]]; then printf '#include "%s"\n' "${header#"$source_dir"/}"; fi
  done
} >"$unit"

"$@" -I "$source_dir" -c "$unit" -o "$folder/dialect.o"
printf 'compiled %s headers with %s\n' "$(($(grep -c '^#include' "$unit") - 1))" "$1"
