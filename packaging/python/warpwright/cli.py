# SPDX-License-Identifier: Apache-2.0
"""Finds warpwright-cli and runs it: one command, one JSON object."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import IO, Any, Iterator, Mapping, Sequence, Union

from . import errors

NAME = "warpwright-cli"
SCHEMA = "warpwright-cli/1"
Answer = dict[str, Any]
Text = Union[str, "os.PathLike[str]"]


def program() -> str:
    """The program's path: WARPWRIGHT_CLI, else from PATH, else in bin/ of the folder where this package is
    installed."""
    named = os.environ.get("WARPWRIGHT_CLI")
    if named:
        found = shutil.which(named)
        if found is None:
            raise errors.Missing(f"WARPWRIGHT_CLI names '{named}', which is not a program", code="not_found")
        return found
    found = shutil.which(NAME)
    if found is not None:
        return found
    here = pathlib.Path(__file__).resolve()
    for prefix in [*here.parents, pathlib.Path(sys.prefix)]:
        beside = prefix / "bin" / NAME
        if beside.is_file() and os.access(beside, os.X_OK):
            return str(beside)
    raise errors.Missing(
        f"{NAME} was not found",
        code="not_found",
        hint=f"Put the folder that contains it on PATH, or name it in WARPWRIGHT_CLI. It was looked for on PATH and in "
        f"bin/ of the folders above {here.parent}.",
    )


def subject(text: Text) -> tuple[list[str], str | None]:
    """Arguments and standard input that pass a sentence, an op spec, the name of an op, or a path."""
    if isinstance(text, str) and "\n" in text:
        return ["-"], text
    return ["--", os.fspath(text)], None


def options(**given: Any) -> list[str]:
    """Options of the command line: `op=x` as `--op x`, True as `--op`; None and False are left out, lists repeated."""
    out: list[str] = []
    for name, value in given.items():
        option = "--" + name.strip("_").replace("_", "-")
        if value is True:
            out.append(option)
        elif isinstance(value, Mapping):
            for key, number in value.items():
                out += [option, f"{key}={number}"]
        elif isinstance(value, (list, tuple)):
            for one in value:
                out += [option, str(one)]
        elif value is not None and value is not False:
            out += [option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return out


def call(
    command: str,
    *more: str,
    stdin: str | None = None,
    good: Sequence[int] = (0,),
    environment: Mapping[str, str] | None = None,
) -> Answer:
    """What the command answers. Exit codes other than those in `good`, and answers with an error, are raised."""
    words = command.split()
    with Process(words, more, stdin, environment) as process:
        for _ in process.progress():
            pass
        return process.answer(good)


class Process:
    """A running command. Its progress are lines, its answer is one JSON object; leaving the block interrupts what
    still runs."""

    def __init__(
        self, words: Sequence[str], more: Sequence[str], stdin: str | None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.words = list(words)
        self._said: list[str] = []
        self._out: IO[bytes] = tempfile.TemporaryFile()
        self._in: IO[bytes] = tempfile.TemporaryFile()
        self._in.write((stdin or "").encode())
        self._in.seek(0)
        # In a session of its own: Ctrl+C reaches it once, from here.
        self._process = subprocess.Popen(
            [program(), *self.words, "--json", *more],
            stdin=self._in,
            stdout=self._out,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env=None if environment is None else {**os.environ, **environment},
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._process.stderr:
            self._process.stderr.close()
        self._out.close()
        self._in.close()

    @property
    def pid(self) -> int:
        return self._process.pid

    def progress(self) -> Iterator[str]:
        """Lines of progress and warnings, as they come, until the program has ended."""
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self._said = [*self._said[-19:], line.rstrip()]
            yield line.rstrip()
        self._process.wait()

    def stop(self) -> None:
        """Interrupts the program as Ctrl+C does, and waits until it has ended: what it did until then is stored."""
        if self._process.poll() is None:
            self._interrupt()
            try:
                for _ in self.progress():
                    pass
            except KeyboardInterrupt:  # a second time: the program ends at once
                self._interrupt()
                self._process.wait()
                raise

    def _interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGINT)

    def answer(self, good: Sequence[int] = (0,)) -> Answer:
        """The answer, once the program has ended."""
        code = self._process.wait()
        command = " ".join(self.words)
        if code < 0:
            raise errors.Interrupted(
                f"{NAME} {command} was killed by {signal.Signals(-code).name}", command=command, exit_code=code
            )
        self._out.seek(0)
        text = self._out.read().decode("utf-8", "replace")
        try:
            answer = json.loads(text)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise errors.Disagreement(
                f"{NAME} {command} did not answer with JSON (exit code {code})",
                command=command,
                exit_code=code,
                cause="\n".join(self._said),
            )
        if answer.get("schema") != SCHEMA:
            raise errors.Disagreement(
                f"this package reads {SCHEMA}; {program()} writes {answer.get('schema')}", command=command
            )
        if "error" in answer:
            raise errors.from_answer(answer, code)
        if code not in good:
            raise errors.BY_EXIT_CODE.get(code, errors.Error)(
                "\n".join(self._said) or f"{NAME} {command} ended with exit code {code}",
                command=command,
                exit_code=code,
            )
        return answer
