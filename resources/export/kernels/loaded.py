# SPDX-License-Identifier: Apache-2.0
"""Runs the test or the benchmark on the kernel as the package `kernels` loads it: python3 loaded.py [test_kernel.py | benchmark.py]"""
import pathlib
import runpy
import sys

from kernels import get_local_kernel

here = pathlib.Path(__file__).resolve().parent
sys.modules["{{package}}"] = get_local_kernel(here)
runpy.run_path(str(here / (sys.argv[1] if len(sys.argv) > 1 else "test_kernel.py")), run_name="__main__")
