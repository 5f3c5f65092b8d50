#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Exported projects on a GPU machine: explores ops there, exports what was accepted as each kind, and in each clean folder runs its test (values,
# torch.compile, CUDA graph, opcheck, errors; for CuPy streams and views; C++ and PTX by exported_native.py) and its benchmark. For the ops of
# BACKWARD, also explores the gradients of the best and exports both. Needs what gpu_pack.sh gathered, and a python3 with torch; kinds whose
# package (kernels, cupy) it lacks are named and left out.
#   [KINDS="torch kernels cupy cpp ptx"] [BACKWARD="softmax layernorm"] [JOBS=4] [LIMIT=420] tests/bench/gpu_exports.sh FOLDER RESULTS [OP …]
# RESULTS/export.txt is the table; logs are in RESULTS/export. After LIMIT seconds no test goes on: what is missing is "not finished".
set -u
[ $# -ge 2 ] || { sed -n 3,9p "$0" >&2; exit 2; }
export end=$(($(date +%s) + ${LIMIT:-420}))
folder=$(realpath "$1") results=$(realpath -m "$2")
shift 2
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
export TORCHINDUCTOR_COMPILE_THREADS=1 OMP_NUM_THREADS=2  # many tests at once
export backward_ops=" ${BACKWARD-softmax layernorm} "
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

at_most() {  # SECONDS COMMAND…: as long as that and LIMIT allow
  local left=$((end - 3 - $(date +%s)))
  [ "$left" -gt 0 ] || return 124
  timeout $((left < $1 ? left : $1)) "${@:2}"
}
explored() {  # LOG COUNT WHAT: explores it; the numbers of its COUNT best candidates
  at_most 90 "$cli" explore "$3" --device "${DEVICE:-cuda:0}" --budget 3 --workers 1 >"$logs/explore_$1.log" 2>&1
  "$cli" list candidates --json | python3 -c 'import json, sys
rows = [c for c in json.load(sys.stdin)["candidates"] if c["state"] == "accepted"]
print(*(c["id"] for c in rows[:int(sys.argv[1])]))' "$2"
}
export_one() {  # NAME KIND CANDIDATE MORE…
  local log=$logs/export_$1_$2.log
  "$cli" export "$3" --as "$2" -o "$projects/$1_$2" --unsigned "${@:4}" >"$log" 2>&1 || tail -n 1 "$log"
}
export_op() {  # OP: explores it, and exports its two best
  export WARPWRIGHT_WORKSPACE=$workspaces/$1
  local first='' id kind backward
  for id in $(explored "$1" 2 "$1"); do
    first=${first:-$id}
    for kind in $kinds; do export_one "$1_$id" "$kind" "$id"; done
  done
  case $backward_ops in *" $1 "*) ;; *) return ;; esac
  [ -e "$projects/$1_${first}_torch/backward.op" ] || return
  backward=$(explored "$1_backward" 1 "$projects/$1_${first}_torch/backward.op")
  if [ -z "$backward" ]; then
    echo "$1: no kernel of its gradients"
    return
  fi
  for kind in $kinds; do
    case $kind in torch | kernels) export_one "$1_${first}_with_backward" "$kind" "$first" --backward "$backward" ;; esac
  done
}
test_one() {  # FOLDER of a project
  local name program=test_kernel.py
  name=$(basename "$1")
  cd "$1" || return
  [ -e loaded.py ] && program=loaded.py
  if [ "${name##*_}" = cpp ]; then  # with the PTX, on the tensors of the export for PyTorch
    cd "${1%_cpp}_torch" || return
    program="$native $1 ${1%_cpp}_ptx"
  fi
  at_most 200 python3 $program >"$logs/test_$name.log" 2>&1
  echo $? >"$logs/exit_$name"
}
export -f at_most explored export_one export_op test_one
echo $ops | tr ' ' '\n' | xargs -P "${JOBS:-4}" -I{} bash -c "export_op {}"
python3 - "$projects" "$logs" <<'PYTHON'
# The benchmarks of the exports for PyTorch, one after the other. The tests keep 40 % of the time.
import contextlib, os, pathlib, runpy, sys, time
end = int(os.environ["end"]) - int(os.environ.get("LIMIT", "420")) * 4 // 10
for folder in sorted(pathlib.Path(sys.argv[1]).glob("*_torch")):
    if time.time() > end:
        break
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
python3 - "$projects" "$logs" "$((${LIMIT:-420} - end + $(date +%s)))" >>"$table" <<'PYTHON'
# A row for each candidate: each kind's verdict, and what a call costs.
import json, pathlib, re, statistics, sys
projects, logs, seconds = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
kinds = ("torch", "kernels", "cupy", "cpp", "ptx")
counts, overheads, notes = {k: {} for k in kinds}, [], []


def read(name):
    file = logs / name
    return file.read_text(errors="replace") if file.exists() else ""


def verdict(name, kind):
    if not (projects / f"{name}_{kind}").exists():
        return "-"
    tested = f"{name}_{'cpp' if kind == 'ptx' else kind}"  # the PTX is tested beside the header
    log, code = read(f"test_{tested}.log"), read(f"exit_{tested}").strip()
    done, failed = (set(re.findall(rf"^{word} +(test_\w+)", log, re.M)) for word in ("ok", "FAILED"))
    if kind in ("cpp", "ptx"):
        mine = {"test_ptx"} if kind == "ptx" else {"test_example", "test_header"}
        done, failed = done & mine, failed & mine
        missing = mine - done - failed
    else:
        missing = set() if code == "0" else {"the rest"}
    said = f"{len(done)} ok, {len(failed)} failed, {log.count('not tried')} sizes not tried"
    word = "failed" if failed else "not finished" if code in ("", "124") and missing else "failed" if missing else "passed"
    notes.append(f"{name}_{kind}: {word}, {said}")
    return word


print(f"{'candidate':34} " + " ".join(f"{k:12}" for k in kinds) + "    us  torch us  call us  empty call us  more")
for name in sorted({f.name.rsplit("_", 1)[0] for f in projects.iterdir()}):
    words = [verdict(name, k) for k in kinds]
    for kind, word in zip(kinds, words):
        counts[kind][word] = counts[kind].get(word, 0) + 1
    lines = read(f"benchmark_{name}_torch.log").splitlines()
    figures = "not measured"
    if lines and lines[-1].startswith("{"):
        b = json.loads(lines[-1])
        more = b["call_us"] - b["empty_call_us"]
        overheads.append(more)
        torch_us = "no form" if b["torch_us"] is None else f"{b['torch_us']:.2f}"
        figures = f"{b['us']:6.2f}  {torch_us:>8}  {b['call_us']:7.1f}  {b['empty_call_us']:13.1f}  {more:4.1f}"
    elif lines:
        figures = lines[-1][:120]
    print(f"{name:34} " + " ".join(f"{w:12}" for w in words) + figures)
for kind in kinds:
    print(f"{kind}: " + ", ".join(f"{n} {word}" for word, n in sorted(counts[kind].items()) if word != "-"))
if overheads:
    print(f"a call costs {min(overheads):.1f} to {max(overheads):.1f} us more than that of an empty operator, median {statistics.median(overheads):.1f}, "
          f"of {len(overheads)} packages; at most 5 us more: {sum(o <= 5 for o in overheads)}")
print(f"{seconds} s in all\n")
print("\n".join(notes))
PYTHON
cat "$table"; grep -h "^FAILED" "$logs"/test_*.log | cut -c1-300
