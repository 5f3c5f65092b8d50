#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The Python package on a GPU machine: its test of PyTorch functions and modules there, and a kernel explored and called from Python beside
# PyTorch. Needs what gpu_pack.sh gathered, and a python3 with torch.
#   tests/bench/gpu_python.sh FOLDER RESULTS        writes RESULTS/python.txt
set -u
[ $# = 2 ] || { sed -n 3,5p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2")
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)} WARPWRIGHT_CLI=$folder/bin/warpwright-cli
export PYTHONPATH=$root/packaging/python:${PYTHONPATH:-}
mkdir -p "$results"
workspace=$(mktemp -d)
{
  echo "# $(date -u +%F) $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader), $(python3 --version)"
  echo "-- its test of PyTorch functions and modules"
  timeout 200 python3 "$root/packaging/python/tests/torch_session.py" "$workspace"
  echo "-- a kernel, called"
  timeout 100 python3 - "$workspace" <<'PYTHON'
import sys
import time

import torch
import warpwright

x = torch.randn(4096, 1024, device="cuda")
start = time.monotonic()
k = warpwright.kernel("softmax over the rows", x, budget=3, workspace=sys.argv[1])
print(f"explored in {time.monotonic() - start:.1f} s: {k.candidate.title}, {k.score}; missing: {k.missing or 'nothing'}")
wanted = torch.softmax(x.double(), -1)
print(f"worst error {float((k(x) - wanted).abs().max()):.3g}, of torch.softmax {float((torch.softmax(x, -1) - wanted).abs().max()):.3g}")
again = warpwright.kernel("softmax over the rows", x, workspace=sys.argv[1])
print("found again without exploring:", again.candidate.hash == k.candidate.hash)
compiled = torch.compile(lambda t: k(t) * 2, fullgraph=True)
print(f"under torch.compile: worst error {float((compiled(x) - 2 * wanted).abs().max()):.3g}")
for wrong in (x.double(), x[0], x.cpu(), x.t()):
    try:
        k(wrong)
        print("no error:", wrong.dtype, list(wrong.shape), wrong.device)
    except (warpwright.Error, ValueError) as e:
        print(f"{type(e).__name__}: {e}")
print(warpwright.measurements("last", workspace=sys.argv[1]))
PYTHON
} >"$results/python.txt" 2>&1
cat "$results/python.txt"
