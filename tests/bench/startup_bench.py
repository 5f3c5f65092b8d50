#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Start-up of the window, with the recorded session open and a candidate shown, against hotspot's with nothing open.

usage: startup_bench.py BIN_FOLDER [ROUNDS]      (BIN_FOLDER: build/release/bin; needs Xvfb and xdotool)

Under one Xvfb, 1280x800, one after the other in each round: the time until a window is mapped, and until the process is at rest (diff_bench.py says what that is). The first round warms caches
and is not counted. Printed: medians, and their ratio to ours.
"""
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

from diff_bench import until_rest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def mapped(title, environment, begin, found):
    while not found and time.monotonic() - begin < 30:
        if subprocess.run(["xdotool", "search", "--onlyvisible", "--name", title], env=environment, capture_output=True).stdout.strip():
            found.append(time.monotonic() - begin)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    folder_of_programs, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 7
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder, XDG_RUNTIME_DIR=folder, WARPWRIGHT_RESOURCES=f"{ROOT}/resources", QT_QPA_PLATFORM="xcb")
        subprocess.run([f"{folder_of_programs}/warpwright-cli", "bundle", "import", f"{ROOT}/resources/tour/session.wwb", "--workspace", f"{folder}/session"], env=environment, check=True, capture_output=True)
        with open(f"{folder}/settings.ini", "w") as f:
            f.write(f"[window]\nworkspace={folder}/session\nrun=1\ncandidate=7\n")
        read, write = os.pipe()
        display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24"], pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as f:
            environment["DISPLAY"] = f":{f.readline().strip()}"
        try:
            commands = {"Warpwright": [f"{folder_of_programs}/warpwright", "--workspace", f"{folder}/session", "--settings", f"{folder}/settings.ini"]}
            if shutil.which("hotspot"):
                commands["Hotspot"] = ["hotspot"]
            results = {name: [] for name in commands}
            for index in range(rounds + 1):
                for name, command in commands.items():
                    found = []
                    watcher = threading.Thread(target=mapped, args=(name, environment, time.monotonic(), found))
                    watcher.start()
                    rest, used = until_rest(command, environment)
                    watcher.join()
                    if index > 0:
                        results[name].append((found[0] if found else float("nan"), rest, used))
            ours = [statistics.median(r[i] for r in results["Warpwright"]) for i in range(3)]
            for name, list_ in results.items():
                m = [statistics.median(r[i] for r in list_) for i in range(3)]
                print(f"{name:12} window mapped {m[0]:5.2f} s ({m[0] / ours[0]:4.1f} x), at rest {m[1]:5.2f} s ({m[1] / ours[1]:4.1f} x), {m[2]:5.2f} s of processor ({m[2] / ours[2]:4.1f} x), {len(list_)} rounds")
            if "Hotspot" not in commands:
                print("hotspot: not installed, not measured")
        finally:
            display.terminate()
            display.wait()


if __name__ == "__main__":
    main()
