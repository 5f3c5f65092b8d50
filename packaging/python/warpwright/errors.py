# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, by the exit codes of warpwright-cli. The text of each error is the program's own sentence."""

from __future__ import annotations

from typing import Any, Mapping, Sequence

from .records import Choice, Run


class Error(Exception):
    """Base of all errors. `code` is the program's word for the kind of failure, such as `not_found`; "" where it gave
    none."""

    def __init__(
        self,
        message: str,
        *,
        code: str = "",
        cause: str = "",
        hint: str = "",
        command: str = "",
        exit_code: int | None = None,
        line: int | None = None,
        column: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.code, self.cause, self.hint = message, code, cause, hint
        self.command, self.exit_code, self.line, self.column = command, exit_code, line, column

    def __str__(self) -> str:
        text = self.message
        for more in (self.cause, self.hint):
            if more:
                text += f"\n{more}"
        return text


class Failed(Error):
    """Exit code 1: rejected, or failed."""


class WrongUsage(Error):
    """Exit code 2: an argument that the program does not take, or a text that it cannot read."""


class Missing(Error):
    """Exit code 3: the program, its worker, a compiler, a GPU or a workspace is missing."""


class UnknownKey(Error):
    """Exit code 4: a genuine receipt, signed with a key that is not known under the signer's name."""


class RevokedKey(Error):
    """Exit code 5: a genuine receipt, signed with a revoked key."""


class NotJudged(Error):
    """Exit code 6: neither accepted nor rejected."""


class Interrupted(Error):
    """Exit code 130, or the program was killed. `run` is the number of the run to resume, where one had begun."""

    run: int | None = None


class Disagreement(Error):
    """Program and package do not speak the same schema, or the program did not answer with JSON."""


class NotUnderstood(Error):
    """A text that is no op: `questions` says why, `nearest` names ops that may be meant."""

    def __init__(self, text: str, questions: Sequence[str], nearest: Sequence[str]) -> None:
        super().__init__(
            " ".join(questions) or f"'{text}' is not understood.",
            command="spec",
            exit_code=1,
            hint="The nearest ops are " + ", ".join(nearest) + "." if nearest else "",
        )
        self.text, self.questions, self.nearest = text, tuple(questions), tuple(nearest)


class Question(NotUnderstood):
    """A text that may mean several things. Each of `choices` has a `sentence` that means one of them."""

    def __init__(self, text: str, questions: Sequence[str], nearest: Sequence[str], choices: Sequence[Choice]) -> None:
        super().__init__(text, questions, nearest)
        self.choices = tuple(choices)
        self.hint = "\n".join(f"  {c.sentence!r}: {c.difference}" for c in self.choices)


class NothingAccepted(Failed):
    """A run that ended without an accepted kernel. `run` is the run."""

    def __init__(self, run: Run) -> None:
        super().__init__(
            f"run {run.id} accepted none of its {run.judged} candidates: {run.why}", command="explore", exit_code=1
        )
        self.run = run


class DoesNotFit(Error, ValueError):
    """Tensors whose number, dimensions, type or device the op does not take."""


class CannotRun(Missing, RuntimeError):
    """The kernel is proved, but cannot be called here; the text says what is missing."""


class CannotImport(Error):
    """A function or module that cannot be taken out of its file, or is not equal to the spec that it became."""


BY_EXIT_CODE: Mapping[int, type[Error]] = {
    1: Failed,
    2: WrongUsage,
    3: Missing,
    4: UnknownKey,
    5: RevokedKey,
    6: NotJudged,
    130: Interrupted,
}


def from_answer(answer: Mapping[str, Any], exit_code: int) -> Error:
    """The error that an answer with the member `error` reports."""
    error = answer["error"]
    return BY_EXIT_CODE.get(exit_code, Error)(
        error.get("message") or "warpwright-cli failed",
        code=error.get("code") or "",
        cause=error.get("cause") or "",
        hint=error.get("hint") or "",
        command=str(answer.get("command") or ""),
        exit_code=exit_code,
        line=error.get("line"),
        column=error.get("column"),
    )
