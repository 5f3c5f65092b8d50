# SPDX-License-Identifier: Apache-2.0
"""Commands that look at a workspace, judge one kernel, or write something, one function each."""

from __future__ import annotations

import os
import pathlib
import tempfile
from typing import Any, Mapping

from . import cli
from .understanding import describe
from .exploration import list_candidates
from .records import Candidate, Measurement, Run, Score, Verdict
from .tables import framed

Text = cli.Text
CANDIDATE_COLUMNS = [
    "id",
    "hash",
    "rank",
    "state",
    "score",
    "unit",
    "provenance",
    "structure",
    "title",
    "verdict",
    "proved_at",
    "imported",
]


def check(
    spec: Text | None,
    source: Text,
    *,
    device: str = "simt",
    sizes: Mapping[str, float] | None = None,
    seeds: int | None = None,
    **options: Any,
) -> Verdict:
    """Judges one kernel and stores nothing. `spec` is a sentence, an op spec or the name of an op; None: the op that
    the kernel names. `source` is the kernel's text, or the path of a `.cu` or `.ptx` file. A rejected kernel is a
    result, not an error."""
    with tempfile.TemporaryDirectory(prefix="warpwright-") as folder:
        if isinstance(source, os.PathLike) or ("\n" not in source and source.endswith((".cu", ".ptx"))):
            subject, stdin = ["--", os.fspath(source)], None
        else:
            subject, stdin = ["-"], source
        if spec is not None:
            file = pathlib.Path(folder, "spec.op")
            file.write_text(describe(spec).spec.text, encoding="utf-8")
            options["op"] = file
        more = cli.options(device=device, set=dict(sizes or {}), seeds=seeds, **options)
        answer = cli.call("check", *more, *subject, stdin=stdin, good=(0, 1, 6))
    return Verdict.of(answer["verdict"], Score.of(answer["score"]))


def runs(workspace: Text | None = None, *, frame: bool | None = None) -> Any:
    """The runs of the workspace, newest first: a pandas frame where pandas is installed, else a list of Run; `frame`
    chooses."""
    return framed(list_runs(workspace), list(Run.__dataclass_fields__), frame)


def list_runs(workspace: Text | None = None) -> list[Run]:
    return [Run.of(r) for r in cli.call("list runs", *cli.options(workspace=workspace))["runs"]]


def candidates(run: int | str = "last", workspace: Text | None = None, *, frame: bool | None = None) -> Any:
    """The candidates of a run: a pandas frame where pandas is installed, else a list of Candidate; `frame` chooses."""
    listed = [Candidate.of(c) for c in list_candidates(run, workspace)["candidates"]]
    return framed(listed, CANDIDATE_COLUMNS, frame)


def measurements(run: int | str = "last", workspace: Text | None = None, *, frame: bool | None = None) -> Any:
    """What was measured of the candidates of a run: a pandas frame where pandas is installed, else a list of
    Measurement; `frame` chooses."""
    found = []
    for c in list_candidates(run, workspace)["candidates"]:
        found += [Measurement.of(m, c["id"]) for m in show(c["id"], workspace)["measurements"]]
    return framed(found, list(Measurement.__dataclass_fields__), frame)


def show(
    candidate: int | str, workspace: Text | None = None, *, ptx: bool = False, sass: bool = False
) -> dict[str, Any]:
    """One candidate with its text, verdict, measurements and reviews: the answer of `warpwright-cli show`
    (docs/json.md)."""
    return cli.call("show", *cli.options(workspace=workspace, ptx=ptx, sass=sass), "--", str(candidate))


def diff(before: int | str, after: int | str, workspace: Text | None = None) -> str:
    """The difference of the texts of two candidates in unified format; "" where they are equal."""
    return str(cli.call("diff", *cli.options(workspace=workspace), "--", str(before), str(after))["diff"])


def profile(
    candidate: int | str | os.PathLike[str], workspace: Text | None = None, *, device: str = "cuda:0", **options: Any
) -> dict[str, Any]:
    """Hardware counters of a candidate and what they mean: the answer of `warpwright-cli profile` (docs/json.md). It
    needs an NVIDIA GPU."""
    more = cli.options(workspace=workspace, device=device, **options)
    return cli.call(
        "profile", *more, "--", os.fspath(candidate) if isinstance(candidate, os.PathLike) else str(candidate)
    )


def export(
    candidate: int | str, folder: Text, *, form: str = "torch", unsigned: bool = False, workspace: Text | None = None
) -> dict[str, Any]:
    """Writes an accepted candidate as a project: "torch", "kernels", "cupy", "cpp" or "ptx". Only signed ones, unless
    unsigned=True."""
    more = cli.options(output=folder, unsigned=unsigned, workspace=workspace)
    return cli.call("export", "--as", form, *more, "--", str(candidate))


def report(run: int | str, file: Text, workspace: Text | None = None) -> pathlib.Path:
    """Writes a run as one HTML file."""
    return pathlib.Path(cli.call("report", *cli.options(output=file, workspace=workspace), "--", str(run))["report"])
