#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opening and diffing two 20,000-line listings: the window's diff against meld and kdiff3, where they are installed.

usage: diff_bench.py BIN_FOLDER [ROUNDS]      (BIN_FOLDER: build/bench/bin, with bench_diff; needs Xvfb)

All programs run under one Xvfb, 1280x800, one after the other in each round. Time is from the start of the process until it is at rest: the last moment at which the process and its
children used the processor before two seconds of less than 20 ms. Beside it the seconds of processor that it took, which a busy machine disturbs less. The first round warms caches and is
not counted. Printed: medians, and their ratio to ours. Ours is bench_diff: the diff's view with its comparison and theme, without the rest of the window.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def tree(pid):
    """The process and its descendants that live."""
    parents = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    parents[int(name)] = int(f.read().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError, ValueError):
                pass
    found, grew = {pid}, True
    while grew:
        more = {p for p, parent in parents.items() if parent in found} - found
        found |= more
        grew = bool(more)
    return found


def cpu(pids):
    total = 0.0
    for pid in pids:
        try:
            with open(f"/proc/{pid}/stat") as f:
                fields = f.read().rsplit(")", 1)[1].split()
            total += (int(fields[11]) + int(fields[12]) + int(fields[13]) + int(fields[14])) * TICK   # with children that ended
        except (OSError, IndexError, ValueError):
            pass
    return total


def until_rest(command, environment, limit=120.0):
    begin = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        last_used, at_last = 0.0, begin
        while time.monotonic() - begin < limit:
            if process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended with {process.returncode}")
            used, now = cpu(tree(process.pid)), time.monotonic()
            if used - last_used > 0.02:
                last_used, at_last = used, now
            elif now - at_last > 2.0 and used > 0.05:
                return at_last - begin, used
            time.sleep(0.01)
        raise RuntimeError(f"{command[0]} did not come to rest within {limit:.0f} s")
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    ours, rounds = os.path.join(sys.argv[1], "bench_diff"), int(sys.argv[2]) if len(sys.argv) > 2 else 7
    if not shutil.which("Xvfb"):
        sys.exit("Xvfb is not installed")
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "diff_listings.py"), folder, "20000"], check=True)
        read, write = os.pipe()
        display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as f:
            number = f.readline().strip()
        environment = dict(os.environ, DISPLAY=f":{number}", QT_QPA_PLATFORM="xcb", GDK_BACKEND="x11", GSETTINGS_BACKEND="memory", NO_AT_BRIDGE="1", HOME=folder, XDG_CONFIG_HOME=folder)
        try:
            for kind in ("ptx", "sass"):
                left, right = f"{folder}/left.{kind}", f"{folder}/right.{kind}"
                commands = {"Warpwright": [ours, left, right, "--stay"]}
                if shutil.which("meld"):
                    commands["meld"] = ["dbus-run-session", "--", "meld", left, right] if shutil.which("dbus-run-session") else ["meld", left, right]
                if shutil.which("kdiff3"):
                    commands["kdiff3"] = ["kdiff3", left, right]
                times = {name: [] for name in commands}
                for index in range(rounds + 1):
                    for name, command in commands.items():
                        try:
                            both = until_rest(command, environment)
                        except RuntimeError as problem:
                            print(f"{kind} {name}: {problem}")
                            continue
                        if index > 0:
                            times[name].append(both)
                middle = lambda list_, at: statistics.median(t[at] for t in list_)
                ours_ = times["Warpwright"]
                for name, list_ in times.items():
                    if not list_:
                        continue
                    ratios = f"  {middle(list_, 0) / middle(ours_, 0):5.1f} x in time, {middle(list_, 1) / middle(ours_, 1):5.1f} x in processor" if ours_ else ""
                    print(f"{kind:5} {name:12} {middle(list_, 0):7.2f} s at rest ({min(t[0] for t in list_):.2f} to {max(t[0] for t in list_):.2f}), {middle(list_, 1):6.2f} s of processor, {len(list_)} rounds{ratios}")
            for name in ("meld", "kdiff3"):
                if not shutil.which(name):
                    print(f"{name}: not installed, not measured")
        finally:
            display.terminate()
            display.wait()
        print("\nInside our window, offscreen, without the start of the process:")
        for kind in ("ptx", "sass"):
            print(kind)
            sys.stdout.flush()
            subprocess.run([ours, f"{folder}/left.{kind}", f"{folder}/right.{kind}", "9"], env=dict(os.environ, QT_QPA_PLATFORM="offscreen"), check=True)


if __name__ == "__main__":
    main()
