#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The corpora (resources/corpus) through the gate on a GPU and on the SIMT machine, with several secrets, and the time of one check on both:
# one summary in RESULTS/gate_corpus.txt, the kernels one by one beside it. Needs what gpu_pack.sh gathered, and python3.
#   tests/bench/gpu_corpus.sh FOLDER RESULTS [SECRETS]     SECRETS: how many, 3
# DEVICES="simt": only those; WORKERS=8: processes that share a device; LIMIT=2: so many kernels of each kind;
# FIRST=11: the number of the first secret.
set -u
[ $# -ge 2 ] || { sed -n 3,7p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2") secrets=${3:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
mkdir -p "$results"
{
  echo "# $(date -u +%FT%TZ) $(uname -r), $(nproc) cores"
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
} >"$results/gate_corpus.txt" 2>&1
python3 "$root/tests/bench/gpu_corpus.py" "$folder/bin/warpwright-cli" "$root" "$results" "$secrets" \
  "${DEVICES:-cuda:0 simt}" "${WORKERS:-0}" "${LIMIT:-0}" "${FIRST:-1}" | tee -a "$results/gate_corpus.txt"
exit "${PIPESTATUS[0]}"
