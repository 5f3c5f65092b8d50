# SPDX-License-Identifier: Apache-2.0
"""Runs of the search, with their progress."""

from __future__ import annotations

import importlib
import os
import pathlib
import re
import sys
import time
from dataclasses import dataclass
from typing import Any, Iterator, Mapping

from . import cli, html
from .understanding import describe
from .errors import Interrupted
from .records import Candidate, Run, Score

OPEN = ("unknown", "queued", "judging")  # states of candidates without a result


@dataclass(frozen=True)
class Progress:
    """One more candidate was judged. `best` is the best accepted one of this exploration so far, or None."""

    run: int
    candidate: Candidate
    best: Candidate | None
    judged: int
    budget: int


class Exploration:
    """A run in progress: iterate over it to get its Progress events, or call `finish()`. It starts with the first
    step; leaving the loop early stops the run, which keeps what was judged and can be resumed."""

    def __init__(
        self,
        text: cli.Text | None,
        *,
        budget: int,
        workspace: cli.Text | None,
        resume: int | str | None,
        progress: bool | None,
        options: Mapping[str, Any],
    ) -> None:
        self.budget, self.workspace = budget, workspace
        self.run: Run | None = None
        self.events: list[Progress] = []
        self._resume, self._progress, self._known, self._begun = resume, progress, set[int](), False
        self._listed_at, self._listing_took = 0.0, 0.0
        self._candidates: dict[int, Candidate] = {}
        self._number: int | None = None
        self._stdin: str | None = None
        self._more = cli.options(budget=budget, workspace=workspace, resume=resume, **options)
        if text is not None and resume is None:
            if isinstance(text, os.PathLike) and pathlib.Path(text).suffix in (".cu", ".ptx"):
                self._more += ["--", os.fspath(text)]
            else:
                self._stdin = describe(text).spec.text
                self._more += ["-"]

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """All candidates of the run, in order."""
        return tuple(self._candidates[i] for i in sorted(self._candidates))

    @property
    def best(self) -> Candidate | None:
        """The best accepted candidate of the run; None while there is none."""
        return next((c for c in self.candidates if c.rank == 1 and c.accepted), None)

    def finish(self) -> Exploration:
        """Runs to the end."""
        for _ in self:
            pass
        return self

    def __iter__(self) -> Iterator[Progress]:
        if self._begun:  # what there was
            yield from list(self.events)
            return
        self._begun = True
        if self._resume is not None:
            self._number = int(list_candidates(self._resume, self.workspace)["run"])
            self._candidates = {c.id: c for c in self._list()}
            self._known = {c.id for c in self._candidates.values() if c.state not in OPEN}
        bar = _bar(self._progress, self.budget)
        try:
            for event in self._events():
                bar.update(1)
                yield event
        finally:
            bar.close()

    def _events(self) -> Iterator[Progress]:
        with cli.Process(["explore"], self._more, self._stdin) as process:
            try:
                for line in process.progress():
                    begun = re.fullmatch(r"run (\d+)", line)
                    if begun and self._number is None:
                        self._number = int(begun.group(1))
                    elif self._number is not None and time.monotonic() - self._listed_at >= 10 * self._listing_took:
                        yield from self._news(self._list())
                answer = process.answer(good=(0, 1, 130))
            except Interrupted as e:
                e.run = self._number
                e.hint = f"explore(resume={self._number}) continues run {self._number}" if self._number else ""
                raise
            self.run = Run.of(answer["run"])
            yield from self._news([Candidate.of(c) for c in answer["candidates"]])

    def _list(self) -> list[Candidate]:
        begun = time.monotonic()
        answer = list_candidates(self._number, self.workspace)
        self._listed_at = time.monotonic()
        self._listing_took = self._listed_at - begun
        return [Candidate.of(c) for c in answer["candidates"]]

    def _news(self, listed: list[Candidate]) -> Iterator[Progress]:
        self._candidates = {c.id: c for c in listed}
        for candidate in listed:
            if candidate.state in OPEN or candidate.id in self._known:
                continue
            self._known.add(candidate.id)
            best = candidate if candidate.accepted and candidate.score is not None else None
            before = self.events[-1].best if self.events else None
            if before is not None and not _better(best, before):
                best = before
            event = Progress(self._number or 0, candidate, best, len(self.events) + 1, self.budget)
            self.events.append(event)
            yield event

    def _repr_html_(self) -> str:
        scored = [c.score if c.accepted else None for c in self.candidates]
        first = next((s for s in scored if s), None)
        head = (
            html.table([self.run.row()])
            if self.run
            else html.paragraphs(["The run is not finished." if self._begun else "Not begun."])
        )
        return (
            head
            + (html.chart([_value(s, first) for s in scored], first.unit) if first else "")
            + html.table([c.row() for c in self.candidates])
        )


def _value(score: Score | None, first: Score) -> float | None:
    return score.value if score and score.provenance == first.provenance else None


def _better(new: Candidate | None, old: Candidate) -> bool:
    if new is None or new.score is None or old.score is None or new.score.provenance != old.score.provenance:
        return False
    return new.score.value < old.score.value


def list_candidates(run: int | str | None, workspace: cli.Text | None) -> cli.Answer:
    return cli.call("list candidates", *cli.options(run=run, workspace=workspace))


class _NoBar:
    def update(self, steps: int) -> None:
        pass

    def close(self) -> None:
        pass


def _bar(wanted: bool | None, budget: int) -> Any:
    """tqdm's bar where it is installed: if not said otherwise, on a terminal or in a notebook."""
    if wanted is None:
        wanted = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not wanted:
        return _NoBar()
    try:
        return importlib.import_module("tqdm").tqdm(total=budget or None, unit="candidate")
    except ImportError:
        return _NoBar()


def explore(
    text: cli.Text | None = None,
    *,
    budget: int = 24,
    device: str = "simt",
    seed: int | None = None,
    seeds: int | None = None,
    sizes: Mapping[str, float] | None = None,
    workspace: cli.Text | None = None,
    resume: int | str | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Exploration:
    """Proposes, proves and ranks kernels for `text`: a sentence, an op spec, the name of an op, or the path of a file.

    budget: candidates to judge. device: "simt" or "cuda:0". sizes: of the default case, and constants. seeds: input
    sets per case. resume: the number of a run to continue, in place of a text. progress: draws tqdm's bar. Other
    options are those of `warpwright-cli explore` with underscores, such as minutes=5, workers=1 or arch="sm_90"."""
    if (text is None) == (resume is None):
        raise TypeError("explore() takes a text, or resume=RUN")
    if resume is None:
        options = {"device": device, "seed": seed, "seeds": seeds, "set": dict(sizes or {}), **options}
    return Exploration(text, budget=budget, workspace=workspace, resume=resume, progress=progress, options=options)
