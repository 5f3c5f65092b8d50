# SPDX-License-Identifier: Apache-2.0
"""How a text is understood."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

from . import cli
from .errors import CannotImport, NotUnderstood, Question
from .records import Choice, Description, Spec


def describe(
    text: cli.Text,
    *,
    inputs: Sequence[str] = (),
    run_file: bool = False,
    evaluation: bool = False,
    environment: Mapping[str, str] | None = None,
) -> Description:
    """How `text` is understood: a sentence, an op spec, the name of an op, the path of a `.op` file, or of a PyTorch
    module (`FILE.py:CLASS`).

    Question where it may mean several things, NotUnderstood where it means nothing. A Python file runs outside any
    sandbox, and only with run_file=True; `inputs` then gives its arguments, such as "f32[512, 1024]"."""
    arguments, stdin = cli.subject(text)
    more = cli.options(input=list(inputs), eval=evaluation, yes=run_file)
    answer = cli.call("spec", *more, *arguments, stdin=stdin, good=(0, 1), environment=environment)
    module = answer.get("module")
    if module and not module.get("equal"):
        raise CannotImport(module.get("difference") or "the spec was not compared with the module", command="spec")
    if not answer["understood"] or answer["spec"] is None:
        raise _question(os.fspath(text), answer)
    return Description.of(answer)


def _question(text: str, answer: Mapping[str, Any]) -> NotUnderstood:
    if not answer["choices"]:
        return NotUnderstood(text, answer["questions"], answer["nearest"])
    choices = [
        Choice(c["sentence"], c["difference"], Spec.of(c["spec"]) if c["spec"] else None) for c in answer["choices"]
    ]
    return Question(text, answer["questions"], answer["nearest"], choices)
