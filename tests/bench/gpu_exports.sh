#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Exported projects on a GPU machine: explores ops there, exports what was accepted as each kind, and in each clean folder runs its test (values,
# torch.compile, CUDA graph, opcheck, errors; for CuPy streams and views; C++ and PTX by exported_native.py) and its benchmark. Needs what
# gpu_pack.sh gathered, and a python3 with torch; kinds whose package (kernels, cupy) it lacks are named and left out.
#   [KINDS="torch kernels cupy cpp ptx"] [JOBS=4] tests/bench/gpu_exports.sh FOLDER RESULTS [OP …]
# RESULTS/export.txt is the table; logs are in RESULTS/export.
set -u
[ $# -ge 2 ] || { sed -n 3,7p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
export cli=$folder/bin/warpwright-cli projects=$(mktemp -d) workspaces=$(mktemp -d) logs=$results/export native=$root/tests/bench/exported_native.py
mkdir -p "$logs"
table=$results/export.txt
ops=${*:-softmax layernorm rmsnorm relu gelu add_relu sum_all cumsum argmax transpose matmul attention max_pool2d cross_entropy}
{
  echo "# $(date -u +%F) $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), torch $(python3 -c 'import torch; print(torch.__version__)')"
  echo "command: $(basename "$0") FOLDER RESULTS $ops"
} >"$table"
export kinds=
for kind in ${KINDS:-torch kernels cupy cpp ptx}; do
  package=$kind
  case $kind in cpp | ptx) package=torch ;; esac
  if python3 -c "import $package" 2>"$logs/import_$kind.log"; then kinds="$kinds $kind"; else echo "left out: $kind, which this Python lacks" >>"$table"; fi
done

export_op() {  # OP: explores it, and exports its two best
  export WARPWRIGHT_WORKSPACE=$workspaces/$1
  timeout 120 "$cli" explore "$1" --device "${DEVICE:-cuda:0}" --budget 3 --workers 1 >"$logs/explore_$1.log" 2>&1
  for id in $("$cli" list candidates --json | python3 -c 'import json, sys
rows = [c for c in json.load(sys.stdin)["candidates"] if c["state"] == "accepted"]
print(*(c["id"] for c in rows[:2]))'); do
    for kind in $kinds; do
      log=$logs/export_$1_${id}_$kind.log
      "$cli" export "$id" --as "$kind" -o "$projects/$1_${id}_$kind" --unsigned >"$log" 2>&1 || tail -n 1 "$log"
    done
  done
}
test_one() {  # FOLDER of a project
  local name
  name=$(basename "$1")
  cd "$1" || return
  local program=test_kernel.py
  [ -e loaded.py ] && program=loaded.py
  if [ "${name##*_}" = cpp ]; then  # with the PTX, on the tensors of the export for PyTorch
    cd "${1%_cpp}_torch" || return
    program="$native $1 ${1%_cpp}_ptx"
  fi
  timeout 200 python3 $program >"$logs/test_$name.log" 2>&1 || touch "$logs/failed_$name"
}
export -f export_op test_one
echo $ops | tr ' ' '\n' | xargs -P "${JOBS:-4}" -I{} bash -c "export_op {}"
python3 - "$projects" "$logs" <<'PYTHON'
# The benchmarks of the exports for PyTorch, one after the other.
import contextlib, os, pathlib, runpy, sys
for folder in sorted(pathlib.Path(sys.argv[1]).glob("*_torch")):
    os.chdir(folder)
    sys.path[0] = str(folder)
    for name in [m for m in sys.modules if m.startswith("ww_")]:  # another candidate's
        del sys.modules[name]
    with open(f"{sys.argv[2]}/benchmark_{folder.name}.log", "w") as out, contextlib.redirect_stdout(out):
        try:
            runpy.run_path("benchmark.py", run_name="__main__")
        except Exception as e:
            print(f"{type(e).__name__}: {e}")
PYTHON
find "$projects" -mindepth 1 -maxdepth 1 ! -name '*_ptx' | sort | xargs -P "$(nproc)" -I{} bash -c "test_one {}"
for project in "$projects"/*; do
  name=$(basename "$project")
  case $name in *_ptx) continue ;; esac  # tested with cpp
  [ -e "$logs/failed_$name" ] && verdict=FAILED || verdict=passed
  [ -e "$logs/benchmark_$name.log" ] && figures=$(tail -n 1 "$logs/benchmark_$name.log") || figures=$(grep -m1 'us a call' "$logs/test_$name.log")
  printf '%-34s %-7s %2d ok, %d failed, %d sizes not tried  %s\n' "$name" "$verdict" "$(grep -c '^ok' "$logs/test_$name.log")" \
    "$(grep -c '^FAILED' "$logs/test_$name.log")" "$(grep -c 'not tried' "$logs/test_$name.log")" "$figures" >>"$table"
done
cat "$table"; grep -h "^FAILED" "$logs"/test_*.log | cut -c1-300
