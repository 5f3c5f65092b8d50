#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Exported projects on a GPU machine: explores ops there, exports what was accepted as each kind, and in each folder runs its test (values,
# torch.compile, CUDA graph, opcheck, errors; for CuPy streams and views) and its benchmark. Needs what gpu_pack.sh gathered, and a python3 with
# torch; kinds whose package (kernels, cupy) it lacks are named and left out.
#   [KINDS="torch kernels cupy"] tests/bench/gpu_exports.sh FOLDER RESULTS [OP …]
set -u
[ $# -ge 2 ] || { sed -n 3,6p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_WORKSPACE=${WARPWRIGHT_WORKSPACE:-$(mktemp -d)} WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
cli=$folder/bin/warpwright-cli projects=$(mktemp -d)
mkdir -p "$results"
table=$results/export.txt
ops=${*:-softmax layernorm rmsnorm relu gelu add_relu sum_all cumsum argmax transpose matmul attention max_pool2d cross_entropy}
{
  echo "# $(date -u +%F) $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), torch $(python3 -c 'import torch; print(torch.__version__)')"
  echo "command: $(basename "$0") FOLDER RESULTS $ops"
} >"$table"
kinds=
for kind in ${KINDS:-torch kernels cupy}; do
  if python3 -c "import $kind" 2>"$results/import_$kind.log"; then kinds="$kinds $kind"; else echo "left out: $kind, which this Python lacks" >>"$table"; fi
done
for op in $ops; do
  "$cli" explore "$op" --device cuda:0 --budget 3 >"$results/explore_$op.log" 2>&1
  for id in $("$cli" list candidates --json | python3 -c 'import json, sys
rows = [c for c in json.load(sys.stdin)["candidates"] if c["state"] == "accepted"]
print(*(c["id"] for c in rows[:2]))'); do
    for kind in $kinds; do
      log=$results/export_${op}_${id}_$kind.log
      "$cli" export "$id" --as "$kind" -o "$projects/${op}_${id}_$kind" --unsigned >"$log" 2>&1 || tail -n 1 "$log"
    done
  done
done
test_one() {
  cd "$1" || return
  program=test_kernel.py
  [ -e loaded.py ] && program=loaded.py
  timeout 200 python3 $program >"$2/test_$(basename "$1").log" 2>&1 || touch "$2/failed_$(basename "$1")"
}
export -f test_one
find "$projects" -mindepth 1 -maxdepth 1 | sort | xargs -P 6 -I{} bash -c "test_one {} $results"
for project in "$projects"/*; do
  name=$(basename "$project") program=benchmark.py
  [ -e "$project/loaded.py" ] && program="loaded.py benchmark.py"
  [ -e "$results/failed_$name" ] && verdict=FAILED || verdict=passed
  figures=$(cd "$project" && timeout 100 python3 $program 2>"$results/benchmark_$name.log" | tail -n 1)
  printf '%-34s %-7s %2d ok, %d failed, %d sizes not tried  %s\n' "$name" "$verdict" "$(grep -c '^ok' "$results/test_$name.log")" \
    "$(grep -c '^FAILED' "$results/test_$name.log")" "$(grep -c 'not tried' "$results/test_$name.log")" "$figures" >>"$table"
done
cat "$table"; grep -h "^FAILED" "$results"/test_*.log | cut -c1-300
