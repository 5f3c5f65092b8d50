# SPDX-License-Identifier: Apache-2.0
"""Every test of the package. Usage: run.py WARPWRIGHT_CLI [NAME...]. WARPWRIGHT_PACKAGE_PYTHON names the Python to
test with: one that has pandas, tqdm, mypy, nbclient and ipykernel skips nothing. Skips are printed in Qt Test's
manner, for packaging/outcomes."""

import os
import pathlib
import sys
import tempfile
import unittest

python = os.environ.pop("WARPWRIGHT_PACKAGE_PYTHON", "")
if python:
    os.execvp(python, [python, *sys.argv])
sys.dont_write_bytecode = True
here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent))
os.environ["WARPWRIGHT_CLI"] = os.path.abspath(sys.argv[1])


class Result(unittest.TextTestResult):
    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        print(f"SKIP   : {type(test).__name__}::{test.id().rsplit('.', 1)[-1]}() {reason}", flush=True)


with tempfile.TemporaryDirectory(prefix="warpwright-test-") as folder:
    for name in ("CONFIG", "CACHE", "WORKSPACE"):
        os.environ[f"WARPWRIGHT_{name}"] = os.path.join(folder, name.lower())
    loader = unittest.TestLoader()
    names = [f"tests.{name}" for name in sys.argv[2:]]
    suite = loader.loadTestsFromNames(names) if names else loader.discover(str(here), top_level_dir=str(here.parent))
    result = unittest.TextTestRunner(verbosity=2, resultclass=Result).run(suite)
sys.exit(0 if result.wasSuccessful() and result.testsRun else 1)
