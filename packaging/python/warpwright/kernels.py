# SPDX-License-Identifier: Apache-2.0
"""A proved kernel as a function."""

from __future__ import annotations

import hashlib
import importlib
import os
import pathlib
from typing import Any, Mapping

from . import cli, commands, fit, html, loading
from .understanding import describe
from .errors import CannotRun, Error, Missing, NothingAccepted
from .exploration import explore
from .records import Candidate, Description, Run, Score, Verdict


class Kernel:
    """An accepted kernel. Call it with tensors on a GPU; without a GPU or PyTorch it can still be inspected.

    It has no backward pass. `missing` says why it cannot be called here; "" where it can."""

    def __init__(
        self, description: Description, run: Run, candidate: Candidate, *, workspace: cli.Text | None, signed: bool
    ) -> None:
        self.description, self.run, self.candidate, self.workspace = description, run, candidate, workspace
        self._signed = signed
        self._shown: dict[str, Any] | None = None
        self._operator: Any = None

    @property
    def _answer(self) -> dict[str, Any]:
        if self._shown is None:
            self._shown = commands.show(self.candidate.hash, self.workspace, ptx=True)
        return self._shown

    @property
    def source(self) -> str:
        """The candidate's text: device code and launch plan."""
        return str(self._answer["text"])

    @property
    def ptx(self) -> str:
        """The PTX, as it was judged."""
        return str(self._answer["verdict"]["ptx"])

    @property
    def verdict(self) -> Verdict:
        return Verdict.of(self._answer["verdict"], self.score)

    @property
    def score(self) -> Score | None:
        return self.candidate.score

    @property
    def review(self) -> str:
        """What people decided: "open", "accepted" and so on."""
        return str(self._answer["review"]["state"])

    @property
    def project(self) -> loading.Project:
        """The exported PyTorch project, in a folder of this process."""
        return loading.project(self.candidate.hash, not self._signed, _absolute(self.workspace))

    @property
    def plan(self) -> Any:
        """The launch plan: `plan.claims(plan.bind(shapes))`, `plan.launches(sizes)`, `plan.data`."""
        return self.project.plan()

    @property
    def missing(self) -> str:
        """Why the kernel cannot be called here; "" where it can."""
        try:
            torch = importlib.import_module("torch")
        except ImportError as e:
            return f"PyTorch cannot be imported ({e})"
        if not torch.cuda.is_available():
            return "PyTorch finds no NVIDIA GPU"
        return ""

    def __call__(self, *arguments: Any) -> Any:
        if self._operator is None:
            if self.missing:
                raise CannotRun(
                    f"{self.description.spec.name} cannot be called here: {self.missing}",
                    code="unavailable",
                    hint="The kernel is proved and can be inspected: source, ptx, plan, verdict, score.",
                )
            self._operator = self.project.operator()
        return self._operator(*arguments)

    def report(self, file: cli.Text) -> pathlib.Path:
        """Writes the kernel's run as one HTML file."""
        return commands.report(self.run.id, file, self.workspace)

    def export(self, folder: cli.Text, *, form: str = "torch", unsigned: bool = False) -> dict[str, Any]:
        """Writes the kernel as a project that does not need Warpwright. Only a signed one, unless unsigned=True."""
        return commands.export(self.candidate.hash, folder, form=form, unsigned=unsigned, workspace=self.workspace)

    def __repr__(self) -> str:
        score = f", {self.score}" if self.score else ""
        ready = f"; cannot be called here: {self.missing}" if self.missing else ""
        what = f"{self.description.spec.name}: candidate {self.candidate.id}, {self.candidate.title}"
        return f"<Kernel {what}{score}{ready}>"

    def _repr_html_(self) -> str:
        notes = [f"Cannot be called here: {self.missing}"] if self.missing else []
        return (
            self.description._repr_html_()
            + self.candidate._repr_html_()
            + html.paragraphs(notes)
            + self.verdict._repr_html_()
        )


def _absolute(workspace: cli.Text | None) -> str | None:
    return None if workspace is None else os.path.abspath(workspace)


def kernel(
    text: cli.Text,
    *tensors: Any,
    device: str | None = None,
    sizes: Mapping[str, float] | None = None,
    budget: int = 24,
    seed: int | None = None,
    workspace: cli.Text | None = None,
    signed: bool = False,
    fresh: bool = False,
    progress: bool | None = None,
    **options: Any,
) -> Kernel:
    """The best accepted kernel for `text`: a sentence, an op spec, the name of an op, or the path of a `.op` file.

    Tensors, or anything with a shape and a dtype, give the sizes at which it is explored; so does `sizes`. A kernel
    accepted earlier in the workspace for the same spec, sizes and device is taken, unless fresh=True; else `budget`
    candidates are explored. device: "simt" or "cuda:0"; by default that of the tensors. signed: takes only a kernel
    that a person has signed, and explores nothing. Other options are those of `explore`."""
    description = describe(text)
    wanted = {**(fit.sizes(description.spec, tensors) if tensors else {}), **dict(sizes or {})}
    device = device or fit.device(tensors)
    if not fresh or signed:
        found = _stored(description, wanted, device, workspace, options.get("arch"), signed)
        if found is not None:
            return found
    if signed:
        raise Missing(
            f"the workspace has no signed kernel for {description.spec.name} at these sizes on {device}",
            code="not_found",
        )
    done = explore(
        description.spec.text,
        budget=budget,
        device=device,
        seed=seed,
        sizes=wanted,
        workspace=workspace,
        progress=progress,
        **options,
    ).finish()
    assert done.run is not None
    if done.best is None:
        raise NothingAccepted(done.run)
    return Kernel(description, done.run, done.best, workspace=workspace, signed=False)


def _stored(
    description: Description,
    sizes: Mapping[str, float],
    device: str,
    workspace: cli.Text | None,
    architecture: str | None,
    signed: bool,
) -> Kernel | None:
    """The best kernel that this machine has accepted for the same spec, sizes and device."""
    try:
        listed = commands.list_runs(workspace)
    except Error as e:
        if e.code == "not_found":  # no workspace yet
            return None
        raise
    best: Kernel | None = None
    for run in listed:
        if (
            run.op != description.spec.name
            or run.device != device
            or not run.accepted
            or architecture not in (None, run.architecture)
        ):
            continue
        ranked = [
            c for c in commands.candidates(run.id, workspace, frame=False) if c.accepted and not c.imported and c.score
        ]
        for candidate in sorted(ranked, key=lambda c: c.rank or len(ranked) + 1):
            found = Kernel(description, run, candidate, workspace=workspace, signed=signed)
            if not _same(found.verdict, description, sizes):
                break  # nor are the others of this run
            if signed and not found.review.startswith("accepted"):
                continue
            if best is None or _better(found, best):
                best = found
            break
    return best


def _same(verdict: Verdict, description: Description, sizes: Mapping[str, float]) -> bool:
    spec = description.spec
    if verdict.spec != hashlib.blake2b(spec.text.encode(), digest_size=32).hexdigest():
        return False
    binding = next((c["binding"] for c in verdict.json["coverage"] if c["case"] == "default"), None)
    symbols = {**spec.defaults, **{name: n for name, n in sizes.items() if name in spec.symbols}}
    constants = {name: n for name, n in sizes.items() if name not in spec.symbols}
    return binding is not None and binding["symbols"] == symbols and binding.get("constants", {}) == constants


def _better(new: Kernel, old: Kernel) -> bool:
    return (
        new.score is not None
        and old.score is not None
        and new.score.provenance == old.score.provenance
        and new.score.value < old.score.value
    )
