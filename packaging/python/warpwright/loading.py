# SPDX-License-Identifier: Apache-2.0
"""Exported projects in folders of this process, and their Python packages."""

from __future__ import annotations

import functools
import importlib.util
import pathlib
import sys
import tempfile
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from . import cli, commands


@functools.cache
def _folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="warpwright-")  # removed when the process ends


@dataclass(frozen=True)
class Project:
    """An exported PyTorch project."""

    folder: pathlib.Path
    package: str
    function: str
    signed: bool

    @property
    def module(self) -> str:
        """The name under which this process loads the package: two kernels of one op have different ones."""
        return f"_warpwright_{self.folder.name}"

    def file(self, name: str) -> pathlib.Path:
        return self.folder / self.package / name

    def plan(self) -> Any:
        """The launch plan, evaluated without PyTorch: `claims(sizes)`, `launches(sizes)`, `data`."""
        return self.part("plan").Plan.load(self.file("plan.json"))

    def part(self, name: str) -> ModuleType:
        """A file of the package by itself."""
        return _load(f"{self.module}_{name}", self.file(f"{name}.py"), None)

    def operator(self) -> Any:
        """The PyTorch operator. It needs torch."""
        return getattr(_load(self.module, self.file("__init__.py"), self.folder / self.package), self.function)

    def refusals(self) -> tuple[type[Exception], ...]:
        """What the operator raises for tensors that it does not take."""
        return sys.modules[f"{self.module}.plan"].PlanError, NotImplementedError


def _load(name: str, file: pathlib.Path, search: pathlib.Path | None) -> ModuleType:
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, file, submodule_search_locations=None if search is None else [str(search)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        for known in [n for n in sys.modules if n == name or n.startswith(name + ".")]:
            del sys.modules[known]
        raise
    return module


@functools.cache
def project(candidate: str, unsigned: bool, workspace: cli.Text | None) -> Project:
    """The candidate with this hash, exported once in this process."""
    folder = pathlib.Path(_folder().name, candidate[:16])
    for part in range(1, 1000):
        if not folder.exists():
            break
        folder = pathlib.Path(_folder().name, f"{candidate[:16]}_{part}")  # of another workspace
    answer = commands.export(candidate, folder, unsigned=unsigned, workspace=workspace)
    return Project(folder, answer["package"], answer["function"], answer["signed"])
