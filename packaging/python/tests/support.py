# SPDX-License-Identifier: Apache-2.0
"""What the tests share: a workspace with one small run on the SIMT machine, and kernels for relu."""

from __future__ import annotations

import functools
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from typing import Any

import warpwright

SMALL = {"R": 4, "C": 8}
QUICK: dict[str, Any] = {"seeds": 1, "workers": 1}
RELU = (pathlib.Path(__file__).parents[3] / "tests/support/relu.cu").read_text()
WRONG = RELU.replace(": 0;", ": 1;")


class Shaped:
    """A tensor, as far as a shape and a type are one."""

    def __init__(self, *shape: int, dtype: str = "float32") -> None:
        self.shape, self.dtype = shape, dtype


@functools.cache
def folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="warpwright-test-")


def path(name: str) -> str:
    return os.path.join(folder().name, name)


@functools.cache
def explored() -> warpwright.Exploration:
    """A run of two candidates for relu in the workspace `shared`."""
    done = warpwright.explore("relu", budget=2, sizes=SMALL, workspace=path("shared"), **QUICK)
    return done.finish()


def shared() -> str:
    explored()
    return path("shared")


def needs(module: str, reason: str) -> None:
    """Skips the test unless this Python has the module."""
    try:
        __import__(module)
    except ImportError:
        raise unittest.SkipTest(f"{reason}: WARPWRIGHT_PACKAGE_PYTHON names a Python that has {module}") from None


def python(*arguments: str, executable: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[str]:
    """Another Python that finds the package."""
    root = str(pathlib.Path(__file__).resolve().parents[1])
    return subprocess.run(
        [executable, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": root, "PYTHONDONTWRITEBYTECODE": "1", **environment},
    )
