# SPDX-License-Identifier: Apache-2.0
"""What the program's JSON describes, as far as the package gives it names; `json` holds the rest. None is unknown."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Mapping

from . import html

Json = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """A record that is listed in tables."""

    def row(self) -> dict[str, Any]:
        """The record as a row of a table."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def _repr_html_(self) -> str:
        return html.table([self.row()])


@dataclass(frozen=True)
class Tensor:
    """An input or output: its shape names sizes, or gives them as numbers."""

    name: str
    dtype: str
    shape: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(self.shape)}]"


@dataclass(frozen=True)
class Spec:
    """An op: its text, tensors and default sizes."""

    name: str
    text: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    symbols: tuple[str, ...]
    defaults: Mapping[str, int]

    @property
    def taken(self) -> tuple[Tensor, ...]:
        """The inputs that a call gives: those whose values the text does not have itself."""
        lines = [line.split() for line in self.text.splitlines() if line.startswith("//@ value:")]
        fixed = {words[2] for words in lines if len(words) > 2}
        return tuple(t for t in self.inputs if t.name not in fixed)

    @staticmethod
    def of(j: Json) -> Spec:
        def tensors(listed: list[Json]) -> tuple[Tensor, ...]:
            return tuple(Tensor(t["name"], t["dtype"], tuple(str(s) for s in t["shape"])) for t in listed)

        return Spec(
            j["name"], j["text"], tensors(j["inputs"]), tensors(j["outputs"]), tuple(j["symbols"]), dict(j["defaults"])
        )


@dataclass(frozen=True)
class Choice:
    """One meaning of a text that has several: say `sentence` to choose it."""

    sentence: str
    difference: str
    spec: Spec | None


@dataclass(frozen=True)
class Description:
    """How a text was understood."""

    spec: Spec
    said: str
    formula: str
    words: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    doubts: tuple[str, ...]
    example: str
    json: Json = field(repr=False, compare=False, default_factory=dict)

    @staticmethod
    def of(j: Json) -> Description:
        return Description(
            Spec.of(j["spec"]),
            j.get("said") or "",
            j.get("formula") or "",
            tuple((w["text"], w["reading"]) for w in j["words"]),
            tuple(j["warnings"]),
            tuple(j["doubts"]),
            j.get("example") or "",
            j,
        )

    def __str__(self) -> str:
        notes = [*self.warnings, *self.doubts]
        return "\n".join([self.said, *notes, "", self.spec.text.rstrip(), "", self.example.rstrip()]).rstrip()

    def _repr_html_(self) -> str:
        return (
            html.paragraphs([self.said, *self.warnings, *self.doubts])
            + html.code(self.spec.text)
            + html.code(self.example)
        )


@dataclass(frozen=True)
class Score:
    """Lower is better; only scores of one provenance can be compared. A simulated score is not a time."""

    value: float
    provenance: str
    unit: str

    def __str__(self) -> str:
        return f"{self.value:.6g} {self.unit}"

    @staticmethod
    def of(j: Json | None) -> Score | None:
        return None if not j else Score(float(j["value"]), j["provenance"], j["unit"])


@dataclass(frozen=True)
class Candidate(Row):
    """A kernel that was proposed in a run."""

    id: int
    hash: str
    title: str
    structure: str
    state: str
    verdict: str
    rank: int | None
    score: Score | None
    proved_at: str
    imported: bool
    json: Json = field(repr=False, compare=False, default_factory=dict)

    @staticmethod
    def of(j: Json) -> Candidate:
        return Candidate(
            j["id"],
            j["hash"],
            j["title"],
            j["structure"],
            j["state"],
            j["verdict"],
            j["rank"],
            Score.of(j["score"]),
            j["proved_at"],
            j["imported"],
            j,
        )

    @property
    def accepted(self) -> bool:
        return self.state == "accepted"

    def __str__(self) -> str:
        return f"candidate {self.id}: {self.title}, {self.state}" + (f", {self.score}" if self.score else "")

    def row(self) -> dict[str, Any]:
        s = self.score
        return {
            "id": self.id,
            "hash": self.hash,
            "rank": self.rank,
            "state": self.state,
            "score": s.value if s else None,
            "unit": s.unit if s else None,
            "provenance": s.provenance if s else None,
            "structure": self.structure,
            "title": self.title,
            "verdict": self.verdict,
            "proved_at": self.proved_at,
            "imported": self.imported,
        }


@dataclass(frozen=True)
class Run(Row):
    """A run: candidates for one op on one device. `why` says why it ended."""

    id: int
    op: str
    generator: str
    device: str
    architecture: str
    state: str
    created: str
    ended: str
    why: str
    proposed: int
    judged: int
    accepted: int
    imported: bool

    @staticmethod
    def of(j: Json) -> Run:
        return Run(**{name: j[name] for name in Run.__dataclass_fields__})

    def __str__(self) -> str:
        found = f"{self.accepted} of {self.judged} accepted"
        return f"run {self.id}: {self.op} on {self.device}, {self.state}, {found}"


@dataclass(frozen=True)
class Measurement(Row):
    """What was measured of a candidate; `content` holds the numbers (MEASUREMENT in docs/json.md)."""

    id: int
    candidate: int
    kind: str
    device: str
    gpu: str
    driver: str
    created: str
    imported: bool
    content: Json = field(repr=False, compare=False, default_factory=dict)

    @staticmethod
    def of(j: Json, candidate: int) -> Measurement:
        return Measurement(
            j["id"], candidate, j["kind"], j["device"], j["gpu"], j["driver"], j["created"], j["imported"], j["content"]
        )

    def __str__(self) -> str:
        where = f"{self.gpu or self.device}, {self.created}"
        return f"measurement {self.id}: {self.kind} of candidate {self.candidate} on {where}"


@dataclass(frozen=True)
class Stage:
    """One stage of the gate."""

    name: str
    outcome: str
    message: str


@dataclass(frozen=True)
class Verdict:
    """What the gate found. `ruling` is "accepted", "rejected" or "not judged"; false as a condition unless accepted."""

    ruling: str
    summary: str
    device: str
    spec: str | None
    stages: tuple[Stage, ...]
    score: Score | None = None
    json: Json = field(repr=False, compare=False, default_factory=dict)

    @staticmethod
    def of(j: Json, score: Score | None = None) -> Verdict:
        return Verdict(
            j["ruling"],
            j["summary"],
            j["device"],
            j.get("spec"),
            tuple(Stage(s["stage"], s["outcome"], s["message"]) for s in j["stages"]),
            score,
            j,
        )

    @property
    def accepted(self) -> bool:
        return self.ruling == "accepted"

    def __bool__(self) -> bool:
        return self.accepted

    def __str__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        rows = [{"stage": s.name, "outcome": s.outcome, "what": s.message} for s in self.stages]
        return html.paragraphs([self.summary]) + html.table(rows)
