#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A whole visit to a GPU machine: every figure of docs and tests/bench/results that needs one, each output in a file of RESULTS, and a short
# table at the end. Needs what gpu_pack.sh gathered, and nothing else of this project but resources/ and tests/.
#   tests/bench/gpu_visit.sh FOLDER RESULTS [PART …]     parts: doctor tests explore counters timing rate faults baselines
set -u
[ $# -ge 2 ] || { sed -n 3,6p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
shift 2
parts=${*:-doctor tests explore counters timing rate faults baselines}
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
  timeout 300 "$@" >>"$results/$name.txt" 2>&1
  status=$?
  { echo "== $name: status $status, $((SECONDS - start)) s"; tail -n "${lines:-6}" "$results/$name.txt"; } >>"$table"
}

hardware_tests() {
  local program failed=0
  for program in "$folder"/bin/test_*; do
    [ -x "$program" ] || continue
    echo "-- $(basename "$program")"
    LD_LIBRARY_PATH=$folder/qt QT_QPA_PLATFORM=offscreen "$program" 2>&1 | grep -vE '^(PASS|Config|\*)' || true
    [ "${PIPESTATUS[0]}" = 0 ] || failed=1
  done
  return $failed
}

lines=40 part doctor "$cli" doctor
lines=30 part tests hardware_tests
lines=12 part explore "$cli" explore softmax --device cuda:0 --budget 24 --set R=8192 --set C=8192 --report "$results/explore.html"
lines=30 part counters python3 "$root/tests/bench/counters/compare_with_ncu.py" "$folder/bin/bench_counters"
lines=14 part timing "$folder/bin/bench_timing"
lines=12 part rate "$folder/bin/bench_gate_rate" --device cuda:0
lines=46 part faults "$folder/bin/bench_faults" --device cuda:0
lines=12 part baselines_matmul "$cli" baseline matmul --set M=4096 --set N=4096 --set K=4096 --device cuda:0
lines=12 part baselines_softmax "$cli" baseline softmax --set R=8192 --set C=8192 --device cuda:0
cat "$table"
