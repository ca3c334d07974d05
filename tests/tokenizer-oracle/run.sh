#!/bin/sh
# Compares our token ids with an independent implementation on a corpus of MEGABYTES (default 2; 20 by hand).
#   run.sh [MEGABYTES] [BUILD_FOLDER]
# Needs node and npm; fetches the packages of package-lock.json once.
set -eu
megabytes=${1:-2}
build=$(realpath "${2:-$(dirname "$0")/../../build/release}")
cd "$(dirname "$0")"

if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  npm ci --silent
fi

corpus=$(mktemp)
trap 'rm -f "$corpus"' EXIT
node build-corpus.mjs "$megabytes" "$corpus"
if command -v sha256sum >/dev/null; then sum=$(sha256sum <"$corpus"); else sum=$(shasum -a 256 <"$corpus"); fi
sum=${sum%% *}
expected=$(awk -v size="$megabytes" '$1 == size { print $2 }' corpus.sha256)
if [ "$sum" != "$expected" ]; then
  echo "run.sh: the corpus of $megabytes MB has SHA-256 $sum, corpus.sha256 says ${expected:-nothing}" >&2
  exit 1
fi
node compare.mjs "$build/tests/tokenizer-oracle/encode_lines" "$build/bolide" "$corpus"
