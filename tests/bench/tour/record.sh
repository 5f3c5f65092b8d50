#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records the session that the tour shows, on a machine with a GPU: four runs, their times and hardware counters, as one bundle.
#   tests/bench/tour/record.sh FOLDER RESULTS      FOLDER: what gpu_pack.sh gathered
set -eu
[ $# = 2 ] || { sed -n 3,4p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
root=$(cd "$(dirname "$0")/../../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)} WARPWRIGHT_CONFIG=$(mktemp -d) WARPWRIGHT_WORKSPACE=$(mktemp -d)/session
cli=$folder/bin/warpwright-cli
mkdir -p "$results"
log=$results/record.txt
: >"$log"
say() { echo "== $*" | tee -a "$log"; }
run() { "$cli" "$@" >>"$log" 2>&1 || say "status $? of: $*"; }
nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory --format=csv,noheader | tee -a "$log"

rows="--set R=8192 --set C=4096"
vector=$root/tests/bench/tour/sum_all.op
product="--set M=2048 --set N=2048 --set K=2048"
sleep 500 | python3 "$root/tests/bench/tour/author.py" "$WARPWRIGHT_CONFIG" &
author=$!
for _ in $(seq 50); do [ -e "$WARPWRIGHT_CONFIG/models.json" ] && break; sleep 0.1; done
say "1: softmax, written by hand"
run explore softmax $rows --device cuda:0 --model by-hand:author --analyst none --strategy refine --budget 7 --parallel 1 --prompt-tokens 6000
kill $author
say "2: softmax, searched"
run explore softmax $rows --device cuda:0 --budget 16
say "3: matrix product, searched"
run explore matmul $product --device cuda:0 --budget 10
say "4: sum of all elements, searched"
run explore "$vector" --device cuda:0 --budget 8

# Times and all counters: of every right kernel that was written by hand, and of the best of each search.
ids() { "$cli" list candidates --run "$1" --json | python3 -c '
import json, sys
rows = [c for c in json.load(sys.stdin)["candidates"] if c.get("rank")]
print(*[c["id"] for c in sorted(rows, key=lambda c: c["rank"])[:int(sys.argv[1])]])' "$2"; }
measure() { for id in $1; do
    run time "$id" ${@:2} --device cuda:0
    run profile "$id" --counters full ${@:2} --device cuda:0
  done; }
measure "$(ids 1 9)" $rows
measure "$(ids 2 4)" $rows
measure "$(ids 3 4)" $product
measure "$(ids 4 3)" --op "$vector"
run compare $(ids 1 2) $rows --device cuda:0
for n in 1 2 3 4; do "$cli" list candidates --run $n; done | tee -a "$log"
run bundle export "$results/session.wwb"
ls -l "$results"
