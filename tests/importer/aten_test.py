# SPDX-License-Identifier: Apache-2.0
"""Modules of many operators: each must become a spec that is equal to it. Usage: aten_test.py WARPWRIGHT_CLI, with WARPWRIGHT_TORCH_PYTHON, else
the first python3 on the path, as the Python that has PyTorch 2.6 or later. Exit status 77: it has not."""
import json
import os
import pathlib
import subprocess
import sys

python = os.environ.get("WARPWRIGHT_TORCH_PYTHON", "python3")
check = "import torch, sys; sys.exit(0 if tuple(map(int, torch.__version__.split('.')[:2])) >= (2, 6) else 1)"
if subprocess.run([python, "-c", check], stderr=subprocess.DEVNULL).returncode != 0:
    print("SKIP   : importer_torch no PyTorch:", python, "has none of version 2.6 or later")
    sys.exit(77)
environment = dict(os.environ, WARPWRIGHT_PYTHON=subprocess.run([python, "-c", "import sys; print(sys.executable)"], capture_output=True, text=True).stdout.strip())
files = [pathlib.Path(__file__).with_name(name) for name in ("modules.py", "wide_modules.py")]
only = set(sys.argv[2:])
failed, passed = 0, 0
for modules, line in [(file, line) for file in files for line in file.read_text().splitlines()]:
    if not line.startswith("class ") or "(Task)" not in line:
        continue
    name = line.split()[1].split("(")[0]
    if only and name not in only:
        continue
    result = subprocess.run([sys.argv[1], "spec", f"{modules}:{name}", "--yes", "--json"], capture_output=True, text=True, env=environment)
    answer = json.loads(result.stdout or "{}")
    wanted = "refuses" if name.startswith("Not") else "equal"
    module = answer.get("module") or {}
    good = module.get("equal") and module.get("sets", 0) >= 5 if wanted == "equal" else "error" in answer and "nternal" not in answer["error"].get("code", "")
    passed, failed = passed + bool(good), failed + (not good)
    print("PASS   :" if good else "FAIL!  :", name, "" if good else module.get("difference") or answer.get("error") or result.stderr)
print(f"Totals: {passed} passed, {failed} failed")
sys.exit(1 if failed or not passed else 0)
