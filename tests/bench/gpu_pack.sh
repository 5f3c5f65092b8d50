#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Gathers what a visit to a GPU machine needs: CLI, worker, plugins and benchmark programs of a build, stripped; with --tests also the
# hardware tests and the libraries that they need (that machine has no Qt).
#   tests/bench/gpu_pack.sh [--tests] BUILD FOLDER
set -eu
tests=
[ "${1:-}" = --tests ] && { tests=1; shift; }
[ $# = 2 ] || { sed -n 3,5p "$0" >&2; exit 2; }
build=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/plugins"
for program in warpwright-cli warpwright-worker bench_timing bench_counters bench_faults bench_gate_rate; do
  if [ -x "$build/bin/$program" ]; then strip -o "$folder/bin/$program" "$build/bin/$program"; else echo "not built: $program" >&2; fi
done
for module in "$build"/plugins/*/*.so; do
  kind=$(basename "$(dirname "$module")")
  mkdir -p "$folder/plugins/$kind"
  strip -o "$folder/plugins/$kind/$(basename "$module")" "$module"
done
if [ -n "$tests" ]; then
  mkdir -p "$folder/qt"
  for program in $(ctest --test-dir "$build" -L gpu --show-only=json-v1 | python3 -c 'import json,sys; [print(t["command"][0]) for t in json.load(sys.stdin)["tests"]]'); do
    # Tests of a folder are one program, with a link for each.
    common=$(basename "$(realpath "$program")")
    [ -e "$folder/bin/$common" ] || strip -o "$folder/bin/$common" "$program"
    [ "$common" = "$(basename "$program")" ] || ln -sf "$common" "$folder/bin/$(basename "$program")"
    ldd "$program" | awk '/Qt6|icu|libb2|double-conversion|glib|pcre2|gomp/ { print $3 }' | xargs -r -I{} cp -Ln {} "$folder/qt/"
  done
fi
du -sh "$folder" | cut -f1
