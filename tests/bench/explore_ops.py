#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Explores every op of the library with the command line and prints a table: accepted, structures, seconds, and why not.

usage: explore_ops.py [--cli build/release/bin/warpwright-cli] [--budget 6] [--device simt] [--jobs 1] [OP ...]
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import time

root = pathlib.Path(__file__).resolve().parents[2]
arguments = argparse.ArgumentParser()
arguments.add_argument("--cli", default=str(root / "build/release/bin/warpwright-cli"))
arguments.add_argument("--budget", default="6")
arguments.add_argument("--device", default="simt")
arguments.add_argument("--jobs", type=int, default=1, help="explorations at a time, each with a workspace of its own")
arguments.add_argument("ops", nargs="*")
given = arguments.parse_args()


def explore(op):
    """What the command line said about the op, and the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        done = subprocess.run([given.cli, "explore", op, "--device", given.device, "--budget", given.budget, "--workspace", folder, "--json"],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return done, time.monotonic() - start


ops = given.ops or sorted(f.stem for f in (root / "resources/ops").rglob("*.op"))
print(f"command: warpwright-cli explore OP --device {given.device} --budget {given.budget} --json, each op at its default shape, "
      f"{given.jobs} at a time")
print(f"{'op':30} {'accepted':>8} {'judged':>6} {'structures':>10} {'s':>6}  not accepted")
with_one = accepted = judged = 0
begin = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
    for op, (done, seconds) in zip(ops, pool.map(explore, ops)):
        try:
            answer = json.loads(done.stdout)
            candidates = answer["candidates"]
        except (json.JSONDecodeError, KeyError):
            print(f"{op:30} {'-':>8} {'-':>6} {'-':>10} {seconds:6.1f}  exit {done.returncode}: {(done.stdout + done.stderr).strip()[:200]}")
            continue
        good = [c for c in candidates if c["state"] == "accepted"]
        why = "; ".join(f"{c['structure']}: {c['verdict']}" for c in candidates if c["state"] != "accepted")
        print(f"{op:30} {len(good):8} {len(candidates):6} {answer['structures']:10} {seconds:6.1f}  {why[:300]}", flush=True)
        with_one += bool(good)
        accepted += len(good)
        judged += len(candidates)
print(f"{with_one} of {len(ops)} ops have an accepted candidate; {accepted} of {judged} candidates accepted; {time.monotonic() - begin:.0f} s")
sys.exit(0 if with_one == len(ops) else 1)
