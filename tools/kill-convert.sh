#!/bin/sh
# Kills conversions of a large model at random points and repeats them: what comes out must be what an uninterrupted
# conversion makes (issue 2). By hand; takes minutes and disk space for the model three times.
#
#   tools/kill-convert.sh [FOLDER [ROUNDS [OUT [CONVERT-OPTIONS...]]]]
#
# FOLDER (default: a new one below $TMPDIR) gets a synthetic checkpoint of 2 GB; OUT is the output's name, model.bolide
# or model.gguf.
set -eu
folder=${1:-$(mktemp -d)}
rounds=${2:-20}
out=${3:-model.bolide}
[ $# -gt 3 ] && shift 3 || shift $#
bolide=${BOLIDE:-build/release/bolide}
mkdir -p "$folder"

hashes() { # of everything that a conversion wrote, by name
  (cd "$1" && sha256sum -- * | sort -k 2)
}

[ -d "$folder/checkpoint" ] || "$bolide" synth --shape ci --experts 128 --to checkpoint "$folder/checkpoint"
du -sh "$folder/checkpoint"
rm -rf "$folder/whole" "$folder/killed"
mkdir "$folder/whole" "$folder/killed"

begin=$(date +%s%N)
"$bolide" convert "$folder/checkpoint" "$folder/whole/$out" "$@" >"$folder/report"
milliseconds=$((($(date +%s%N) - begin) / 1000000))
echo "uninterrupted: $milliseconds ms"

kills=0
while [ "$kills" -lt "$rounds" ]; do
  "$bolide" convert "$folder/checkpoint" "$folder/killed/$out" "$@" >"$folder/report-resumed" 2>"$folder/errors" &
  pid=$!
  # A whole random part of the time that it takes; more of them follow until it is done.
  sleep "$(awk -v seed="$(od -An -N4 -tu4 /dev/urandom)" -v ms="$milliseconds" \
    'BEGIN { srand(seed); printf "%.3f", rand() * ms / 1000 }')"
  if kill -9 "$pid" 2>/dev/null; then
    wait "$pid" 2>/dev/null || true
    kills=$((kills + 1))
    if [ -e "$folder/killed/$out" ] && [ -e "$folder/killed/$out.partial" ]; then
      echo "an unfinished output has its final name" >&2
      exit 1
    fi
    echo "kill $kills: $(cd "$folder/killed" && ls | tr '\n' ' ')"
    # After the journal is gone only the report is to be printed: the conversion is done.
    [ -e "$folder/killed/$out" ] && [ ! -e "$folder/killed/$out.partial.journal" ] || continue
  else
    wait "$pid"
  fi
  [ "$(hashes "$folder/whole")" = "$(hashes "$folder/killed")" ] || { echo "the files differ" >&2; exit 1; }
  echo "finished, and the same"
  rm -rf "$folder/killed"
  mkdir "$folder/killed"
done
"$bolide" convert "$folder/checkpoint" "$folder/killed/$out" "$@" >/dev/null
[ "$(hashes "$folder/whole")" = "$(hashes "$folder/killed")" ] || { echo "the files differ" >&2; exit 1; }
echo "$kills kills, and the files are the same"
