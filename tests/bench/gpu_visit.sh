#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A whole visit to a GPU machine: every figure of docs and tests/bench/results that needs one, each output in a file of RESULTS, and a short
# table at the end. Needs what gpu_pack.sh gathered, and nothing else of this project but resources/ and tests/.
#   tests/bench/gpu_visit.sh FOLDER RESULTS [PART …]     parts: doctor tests self rate faults corpus explore
#                                                   search baselines profile counters timing
set -u
[ $# -ge 2 ] || { sed -n 3,7p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
shift 2
parts=${*:-doctor tests self rate faults corpus explore search baselines profile counters timing}
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_WORKSPACE=${WARPWRIGHT_WORKSPACE:-$(mktemp -d)} WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
cli=$folder/bin/warpwright-cli
mkdir -p "$results"
table=$results/visit.txt
{
  echo "# $(date -u +%FT%TZ) $(uname -r), $(nproc) cores"
  nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory,power.limit --format=csv,noheader
} >"$table" 2>&1

# part NAME COMMAND…: its output in NAME.txt, its last lines and its time in the table
part() {
  local name=$1 start=$SECONDS status
  shift
  case " $parts " in *" ${name%%_*} "*) ;; *) return 0 ;; esac
  echo "\$ $*" | sed "s|$folder/||g; s|$root/||g" >"$results/$name.txt"
  local limit=(timeout 300)
  declare -F "$1" >/dev/null && limit=()  # a function of this script
  "${limit[@]}" "$@" >>"$results/$name.txt" 2>&1
  status=$?
  { echo "== $name: status $status, $((SECONDS - start)) s"; tail -n "${lines:-6}" "$results/$name.txt"; } >>"$table"
}

hardware_tests() {
  local program failed=0
  for program in "$folder"/bin/test_*; do
    [ -x "$program" ] || continue
    echo "-- $(basename "$program")"
    LD_LIBRARY_PATH=$folder/qt QT_QPA_PLATFORM=offscreen timeout 200 "$program" >"$results/test.log" 2>&1 || failed=1
    grep -vE '^(PASS|Config|\*)' "$results/test.log"
  done
  return $failed
}

# The same kernel from two files, 20 times at two sizes: how often each regime is called what.
self() {
  local size
  for size in "--set R=4096 --set C=8192" "--set R=512 --set C=1024"; do
    for _ in $(seq 20); do
      "$cli" compare "$root/tests/bench/kernels/relu.cu" "$root/tests/bench/kernels/relu_again.cu" --device cuda:0 $size --json |
        python3 -c 'import json,sys
for r in json.load(sys.stdin)["ratios"]: print(r["cache"], r["call"], "%.4f [%.4f, %.4f]" % (r["ratio"], r["low"], r["high"]))'
    done >"$results/self_raw.txt"
    echo "-- relu against itself, 20 times, $size"
    for cache in cold warm; do
      grep "^$cache" "$results/self_raw.txt" | sed 's/ [0-9.]* \[.*//' | sort | uniq -c
      grep "^$cache" "$results/self_raw.txt" | sort -t' ' -k3 | sed -n '1p;$p'
    done
  done
}

corpora() { "$root/tests/bench/gpu_corpus.sh" "$folder" "$results" "${CORPUS_SECRETS:-1}"; }

# What the built-in search finds for five ops on this GPU, through the gate, and its best candidate beside cuBLAS and PyTorch.
search() {
  local sentence best
  while IFS= read -r sentence; do
    echo "-- $sentence"
    "$cli" explore "$sentence" --device cuda:0 --budget "${SEARCH_BUDGET:-16}" --json >"$results/run.json" 2>"$results/run.log" || tail -n 4 "$results/run.log"
    best=$(python3 - "$results/run.json" <<'PYTHON'
import json, sys
run = json.load(open(sys.argv[1]))
judged = run["candidates"]
proved = sorted((c for c in judged if c["state"] == "accepted" and c.get("score")), key=lambda c: c["score"]["value"])
print(f"{len(judged)} judged, {len(proved)} proved", file=sys.stderr)
for c in judged:
    text = f"{c['score']['value']:.6g}" if c.get("score") else "-"
    print(f"  {c['id']:3} {c['state']:10} {text:>12} {c['title']}: {c['verdict'][:90]}", file=sys.stderr)
print(proved[0]["id"] if proved else "")
PYTHON
    )
    [ -z "$best" ] || "$cli" baseline "$sentence" "$best" --device cuda:0
  done <<'SENTENCES'
matmul of f16 4096x4096 by 4096x4096
C = A @ B.T in bf16, 4096x4096 and 4096x4096
matmul of f32 4096x4096 by 4096x4096
sum of all elements of a vector of 67108864 floats
gelu(x @ w.T + b) in f16, x 4096x4096, w 4096x4096
SENTENCES
}

lines=40 part doctor "$cli" doctor
lines=30 part tests hardware_tests
lines=24 part self self
lines=12 part rate "$folder/bin/bench_gate_rate" --device cuda:0
lines=46 part faults "$folder/bin/bench_faults" --device cuda:0
lines=60 part corpus corpora
lines=32 part explore "$cli" explore softmax --device cuda:0 --budget 24 --set R=8192 --set C=8192 --report "$results/explore.html"
lines=200 part search search
lines=12 part baselines_matmul "$cli" baseline matmul --set M=4096 --set N=4096 --set K=4096 --device cuda:0
lines=12 part baselines_softmax "$cli" baseline softmax --set R=8192 --set C=8192 --device cuda:0
lines=12 part baselines_conv "$cli" baseline conv2d --device cuda:0
lines=6 part profile "$cli" profile "$root/tests/bench/kernels/relu.cu" --set R=8192 --set C=8192 --device cuda:0
lines=30 part counters python3 "$root/tests/bench/counters/compare_with_ncu.py" "$folder/bin/bench_counters" "$root/tests/bench/counters/kernels.cu"
lines=24 part timing "$folder/bin/bench_timing"
"$cli" bundle export "$results/visit.wwb" >/dev/null 2>&1
cat "$table"
