#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Counters of Warpwright beside those of Nsight Compute, of the same program and kernels.

Usage: compare_with_ncu.py PROGRAM KERNELS.cu [--ncu ncu] [--repeat 10] [--json FILE]
PROGRAM is bench_counters. Nsight Compute runs twice, to see which counters it repeats itself: only those can be asked to be equal.

Caches: Nsight Compute empties the caches before each replay by default (--cache-control all), and so does Warpwright, which reads four times
the L2 cache's size of other memory: what a user sees are the bytes that the kernel moves when it finds nothing of its own in the caches,
the same numbers in both tools, and not a leftover of the replay before. Clocks are left alone (--clock-control none).
"""
import argparse
import csv
import io
import json
import statistics
import subprocess
import sys
import time

LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORES = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
WAVEFRONTS_LD = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
WAVEFRONTS_ST = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
CONFLICTS_LD = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"
CONFLICTS_ST = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
DRAM = "dram__bytes.sum"
# Counted deterministically: must be equal. Wavefronts less the instructions are the bank conflicts that follow from the addresses.
COUNTED = [("load sectors", LOADS), ("store sectors", STORES), ("instructions", INSTRUCTIONS), ("wavefronts, loads", WAVEFRONTS_LD),
           ("wavefronts, stores", WAVEFRONTS_ST)]
# These also count accesses that waited because others were served first, so no two runs give the same, in either tool: compared by the
# cycles in which shared memory was served.
UNSTEADY = [("conflicts, loads", CONFLICTS_LD), ("conflicts, stores", CONFLICTS_ST)]
ALSO = [("duration, ns", "gpu__time_duration.sum"), ("L2 sectors", "lts__t_sectors.sum"), ("occupancy, %", "sm__warps_active.avg.pct_of_peak_sustained_active")]
WITHIN = 0.02          # of what is not counted deterministically
LEAST_BYTES = 1 << 16  # of device memory: below this, the difference is that of other users of the memory (page tables, instructions)


def number(text):
    return float(text.replace(",", ""))


def ncu(arguments, program, kernels, metrics, extra=()):
    begin = time.monotonic()
    done = subprocess.run([arguments.ncu, "--clock-control", "none", "--cache-control", "all", "--metrics", ",".join(metrics), "--csv", *extra,
                           program, "--kernels", kernels, "--launch-only"], capture_output=True, text=True)
    seconds = time.monotonic() - begin
    lines = [l for l in done.stdout.splitlines() if l.startswith('"')]
    if done.returncode != 0 or not lines:
        sys.exit("ncu failed:\n" + done.stdout[-2000:] + done.stderr[-2000:])
    result = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines))):
        result.setdefault(row["Kernel Name"].split("(")[0], {})[row["Metric Name"]] = number(row["Metric Value"])
    return result, seconds


def close(a, b, within=WITHIN):
    return abs(a - b) <= within * max(abs(a), abs(b))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("kernels")
    parser.add_argument("--ncu", default="ncu")
    parser.add_argument("--repeat", type=int, default=10)
    parser.add_argument("--json")
    arguments = parser.parse_args()

    done = subprocess.run([arguments.program, "--kernels", arguments.kernels, "--repeat", str(arguments.repeat)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("bench_counters failed:\n" + done.stderr[-2000:])
    ours = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        if row["why_not"]:
            sys.exit(row["kernel"] + ": " + row["why_not"])
        ours[row["kernel"]] = row

    metrics = [m for _, m in COUNTED + UNSTEADY] + [DRAM, WAVEFRONTS] + [m for _, m in ALSO]
    theirs, _ = ncu(arguments, arguments.program, arguments.kernels, metrics)
    again, _ = ncu(arguments, arguments.program, arguments.kernels, metrics)
    begin = time.monotonic()
    subprocess.run([arguments.program, "--kernels", arguments.kernels, "--launch-only"], check=True)
    alone = time.monotonic() - begin
    small = list(next(iter(ours.values()))["counters"])
    _, small_seconds = ncu(arguments, arguments.program, arguments.kernels, small)
    first = next(iter(ours))
    _, one_seconds = ncu(arguments, arguments.program, arguments.kernels, small, ["--kernel-name", first])

    names = [n for n, _ in COUNTED + UNSTEADY]
    print(f"{'kernel':16} " + " ".join(f"{n:>18}" for n in names) + f" {'DRAM bytes':>14} {'ncu':>14} {'%':>6}  verdict")
    bad = 0
    rows = []
    for kernel, row in ours.items():
        if kernel not in theirs:
            print(f"{kernel:16} not seen by ncu")
            bad += 1
            continue
        cells, notes = [], []
        for name, metric in COUNTED:
            a, b, c = row["counters"][metric], theirs[kernel][metric], again[kernel][metric]
            if a == b == c:
                cells.append(f"{a:.0f} =")
            else:
                cells.append(f"{a:.0f} !")
                notes.append(f"{name}: ncu {b:.0f} and {c:.0f}, NOT EQUAL")
                bad += 1
        for name, metric in UNSTEADY:
            a, b, c = row["counters"][metric], theirs[kernel][metric], again[kernel][metric]
            if a == b == c:
                cells.append(f"{a:.0f} =")
            elif min(abs(a - b), abs(a - c)) <= WITHIN * theirs[kernel][WAVEFRONTS]:
                cells.append(f"{a:.0f} ~")
                notes.append(f"{name}: ncu {b:.0f} and {c:.0f}")
            else:
                cells.append(f"{a:.0f} !")
                notes.append(f"{name}: ncu {b:.0f} and {c:.0f}, NOT WITHIN 2 %")
                bad += 1
        a, b = row["counters"][DRAM], theirs[kernel][DRAM]
        difference = 100 * (a - b) / b if b else 0.0
        if not close(a, b) and abs(a - b) > LEAST_BYTES:
            notes.append("DRAM bytes NOT WITHIN 2 %")
            bad += 1
        elif not close(a, b):
            notes.append(f"DRAM bytes differ by {abs(a - b):.0f}, below {LEAST_BYTES}")
        print(f"{kernel:16} " + " ".join(f"{c:>18}" for c in cells) + f" {a:14.0f} {b:14.0f} {difference:6.2f}  " + ("; ".join(notes) or "agrees"))
        rows.append({"kernel": kernel, "ours": {m: row["counters"][m] for m in metrics}, "ncu": theirs[kernel], "ncu_again": again[kernel], "notes": notes})
    print("= equal to both runs of ncu;  ~ the difference is at most 2 % of the cycles in which shared memory was served;  ! differs")
    print()
    print(f"{'kernel':16} " + " ".join(f"{n:>16} {'ncu':>12}" for n, _ in ALSO))
    for kernel, row in ours.items():
        if kernel in theirs:
            print(f"{kernel:16} " + " ".join(f"{row['counters'][m]:16.1f} {theirs[kernel][m]:12.1f}" for _, m in ALSO))
    print()
    warm = {k: statistics.median(r["ms"][1:] or r["ms"]) for k, r in ours.items()}
    times = sorted(warm.values())
    passes = next(iter(ours.values()))["passes"]
    print(f"small set ({len(small)} metrics, {passes} passes), warm, {arguments.repeat} times a kernel: median {statistics.median(times):.0f} ms a kernel, "
          f"from {times[0]:.0f} to {times[-1]:.0f}; the very first count of the process {next(iter(ours.values()))['ms'][0]:.0f} ms")
    print(f"ncu with the same metrics: {small_seconds:.1f} s for all {len(ours)} kernels, of which {alone:.1f} s are the program's own: "
          f"{1000 * (small_seconds - alone) / len(ours):.0f} ms a kernel; {one_seconds:.1f} s for one kernel alone")
    if arguments.json:
        with open(arguments.json, "w") as f:
            json.dump({"kernels": rows, "warm_ms": warm, "passes": passes, "metrics": len(small), "ncu_seconds": small_seconds, "alone_seconds": alone,
                       "ncu_one_kernel_seconds": one_seconds}, f, indent=1)
    print("verdict: " + ("everything agrees" if bad == 0 else f"{bad} disagreements"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
