#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# KernelBench's tasks on a GPU machine: several at a time, the cheapest first, they are imported and explored; then, in the last quarter of the time, those
# with a kernel are judged by KernelBench's own evaluation beside PyTorch eager and torch.compile. Needs what gpu_pack.sh gathered, a python3 with
# torch, and KernelBench's repository.
#   tests/bench/gpu_kernelbench.sh FOLDER RESULTS KERNELBENCH
# LEVEL=1; TASKS="5 17": these numbers alone; BUDGET=24: candidates of a task; TASK_SECONDS=60: for exploring one task; SECONDS_LEFT=3600: for all;
# JOBS=5: tasks at a time;
# APART=1: explorations don't take turns on the GPU, which is faster and ranks their candidates less surely (KernelBench's times don't suffer);
# TRIALS="5 100": input sets, timed calls; RESUME=FILE: the kernelbench.tar.gz of an earlier visit, which is continued;
# DEVICE="cuda:0": or several, which share the tasks.
# RESULTS gets kernelbench.tsv (a line a task, which kernelbench_visits.py adds to other visits'), kernelbench.txt (the table) and kernelbench.tar.gz
# (specs, solutions, verdicts, logs), all as it goes.
set -u
[ $# = 3 ] || { sed -n 3,13p "$0" >&2; exit 2; }
folder=$(realpath "$1") results=$(realpath -m "$2") kernelbench=$(realpath "$3")
root=$(cd "$(dirname "$0")/../.." && pwd)
export WARPWRIGHT_RESOURCES=$root/resources WARPWRIGHT_PLUGINS=$folder/plugins WARPWRIGHT_WORKER=$folder/bin/warpwright-worker
export WARPWRIGHT_CACHE=${WARPWRIGHT_CACHE:-$(mktemp -d)}
exec python3 "$root/tests/bench/gpu_kernelbench.py" "$folder/bin/warpwright-cli" "$results" "$kernelbench"
