# SPDX-License-Identifier: Apache-2.0
"""How long NVRTC takes for a kernel with one of the header families: python3 compile_headers.py WARPWRIGHT_CLI [RUNS
[HEADER…]].

The compile stage of `check`, with an empty cache of compiled code each time. A header that is not here, such as CUTLASS's without
WARPWRIGHT_CUTLASS, is left out.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

RELU = (pathlib.Path(__file__).parents[1] / "support/relu.cu").read_text()
HEADERS = (
    "",
    "cuda_fp16.h",
    "cooperative_groups.h",
    "cuda/std/limits",
    "cuda/std/array",
    "cuda/pipeline",
    "mma.h",
    "cub/warp/warp_reduce.cuh",
    "cub/block/block_reduce.cuh",
    "cub/block/block_scan.cuh",
    "cub/block/block_radix_sort.cuh",
    "cutlass/numeric_types.h",
    "cute/layout.hpp",
    "cute/tensor.hpp",
)


def seconds(cli, header):
    with tempfile.TemporaryDirectory() as folder:
        kernel = pathlib.Path(folder, "kernel.cu")
        kernel.write_text((f"#include <{header}>\n" if header else "") + RELU)
        env = dict(os.environ, WARPWRIGHT_CACHE=folder + "/cache")
        call = [cli, "check", str(kernel), "--set", "R=2", "--set", "C=2", "--seeds", "1", "--json"]
        verdict = json.loads(subprocess.run(call, env=env, capture_output=True).stdout)["verdict"]
    if not verdict["accepted"]:
        return None
    stage = next(s for s in verdict["stages"] if s["stage"] == "compile")
    assert "cache" not in stage["message"], stage
    return stage["seconds"]


def main():
    cli, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    print(f"{'ms':<30}{'best':>8}{'median':>8}{'worst':>8}")
    times = {header: [] for header in sys.argv[3:] or HEADERS if seconds(cli, header) is not None}
    for _ in range(runs):  # interleaved, as other work on the machine slows all alike
        for header in times:
            times[header].append(1000 * seconds(cli, header))
    for header, all_of in times.items():
        print(f"{header or '(none)':<30}{min(all_of):>8.0f}{statistics.median(all_of):>8.0f}{max(all_of):>8.0f}")


main()
