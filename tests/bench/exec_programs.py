#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""exec_programs CLI FOLDER RESULTS [--checks memory] [--seconds 60] [--only NAME,…]: builds the CUDA programs of a folder of HeCBench
(https://github.com/zjin-lcf/HeCBench, its src/) with nvcc -cudart shared and runs each through `sim exec` with the arguments of its Makefile,
but one repetition (the last number, where it is at least 10). A table of what came of each: right (it says so itself), ran (it ended with 0
and checks nothing itself), found, not executed, wrong, too slow, not built. Needs nvcc and make."""
import argparse
import json
import os
import pathlib
import re
import signal
import subprocess
import time

parser = argparse.ArgumentParser()
parser.add_argument("cli")
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("results", type=pathlib.Path)
parser.add_argument("--checks", default="memory")
parser.add_argument("--seconds", type=int, default=60)
parser.add_argument("--only", default="")
args = parser.parse_args()
args.cli = str(pathlib.Path(args.cli).resolve())


def built(folder):
    command = ["make", "-s", "ARCH=sm_80", "CC=nvcc -cudart shared -lineinfo", "LAUNCHER=", "main"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    return done.returncode == 0 and (folder / "main").exists()


def arguments(folder):
    text = (folder / "Makefile").read_text(errors="replace")
    found = re.search(r"^run:.*\n\t\$\(LAUNCHER\) \./\$\(program\)(.*)$", text, re.M)
    words = found[1].split() if found else []
    if words and words[-1].isdigit() and int(words[-1]) >= 10:
        words[-1] = "1"
    return words


def outcome(folder):
    command = [args.cli, "sim", "exec", "--json", "--checks", args.checks, "./main", *arguments(folder)]
    start = time.monotonic()
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            answer, said = process.communicate(timeout=args.seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "too slow", args.seconds, ""
    seconds = time.monotonic() - start
    report = json.loads(answer)["execution"]
    bad = re.search(r"\bFAIL|\bfailed\b|mismatch|incorrect", said, re.I) and not re.search(r"\b(0|no) mismatch", said, re.I)
    if report["findings"]:
        return "found", seconds, report["findings"][0]["message"]
    if report["refused"] or not report["loaded"]:
        return "not executed", seconds, "; ".join(report["refused"]) or "no call of the runtime"
    if report["exit"] != 0 or bad:
        return "wrong", seconds, f"exit {report['exit']}, signal {report['signal']}: " + " ".join(said.split())[-160:]
    return ("right" if re.search(r"\bPASS|\bsuccess|correct|verified|\bOK\b", said, re.I) else "ran"), seconds, ""


rows = []
with args.results.open("w") as out:
    for folder in sorted(args.folder.glob("*-cuda")):
        name = folder.name.removesuffix("-cuda")
        if args.only and name not in args.only.split(","):
            continue
        try:
            what = outcome(folder) if built(folder) else ("not built", 0.0, "")
        except (subprocess.TimeoutExpired, ValueError, OSError) as e:
            what = ("not built", 0.0, str(e)[:100])
        rows.append(what[0])
        out.write(f"{name:<28} {what[0]:<13} {what[1]:7.1f} s  {what[2][:300]}\n")
        out.flush()
    for kind in sorted(set(rows)):
        out.write(f"{rows.count(kind)} {kind}\n")
