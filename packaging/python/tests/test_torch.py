# SPDX-License-Identifier: Apache-2.0
"""Functions and modules of PyTorch, in a Python that has it: WARPWRIGHT_TORCH_PYTHON, else the one that runs the
tests."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
import unittest

from .support import path, python

CHECK = "import torch, sys; sys.exit(tuple(map(int, torch.__version__.split('.')[:2])) < (2, 6))"


class TorchTest(unittest.TestCase):
    def test_functions_and_modules(self) -> None:
        named = os.environ.get("WARPWRIGHT_TORCH_PYTHON", sys.executable)
        if not shutil.which(named) or python("-c", CHECK, executable=named).returncode != 0:
            self.skipTest(f"no PyTorch: {named} has none of version 2.6 or later")
        script = pathlib.Path(__file__).with_name("torch_session.py")
        done = python(str(script), path("torch"), executable=named, WARPWRIGHT_PYTHON="")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
