# SPDX-License-Identifier: Apache-2.0
"""Finding warpwright-cli, and what comes of its exit codes."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import stat
import unittest
from unittest import mock

import warpwright
from warpwright import cli

from .support import path, python


def script(name: str, text: str) -> str:
    """A program that answers in place of warpwright-cli."""
    file = pathlib.Path(path(name))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("#!/bin/sh\n" + text)
    file.chmod(file.stat().st_mode | stat.S_IXUSR)
    return str(file)


class FindingTest(unittest.TestCase):
    def test_the_variable_comes_first(self) -> None:
        named = script("named/other-cli", "")
        on_path = script("on_path/warpwright-cli", "")
        with mock.patch.dict(os.environ, {"WARPWRIGHT_CLI": named, "PATH": os.path.dirname(on_path)}):
            self.assertEqual(warpwright.program(), named)
        with mock.patch.dict(os.environ, {"WARPWRIGHT_CLI": "", "PATH": os.path.dirname(on_path)}):
            self.assertEqual(warpwright.program(), on_path)

    def test_a_variable_that_names_nothing_is_an_error(self) -> None:
        with mock.patch.dict(os.environ, {"WARPWRIGHT_CLI": "/nowhere/warpwright-cli"}):
            with self.assertRaisesRegex(warpwright.Missing, "/nowhere/warpwright-cli"):
                warpwright.program()

    def test_a_prefix_beside_the_package(self) -> None:
        beside = script("prefix/bin/warpwright-cli", "")
        package = path("prefix/share/warpwright-python/warpwright")
        shutil.copytree(pathlib.Path(warpwright.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
        where = os.path.dirname(package)
        asked = "import sys; sys.path.insert(0, sys.argv[1]); import warpwright; print(warpwright.program())"
        found = python("-c", asked, where, WARPWRIGHT_CLI="", PATH="/nowhere")
        self.assertEqual(found.stdout.strip(), os.path.realpath(beside), found.stderr)

    def test_without_it_the_error_says_where_it_was_looked_for(self) -> None:
        asked = "import warpwright; warpwright.describe('relu')"
        found = python("-c", asked, WARPWRIGHT_CLI="", PATH="/nowhere")
        self.assertIn("warpwright-cli was not found", found.stderr)
        self.assertIn("WARPWRIGHT_CLI", found.stderr)

    def test_importing_it_loads_no_other_package(self) -> None:
        asked = (
            "import sys, warpwright; known = {m.split('.')[0] for m in sys.modules};"
            "print(sorted(known - sys.stdlib_module_names - {'warpwright', '__main__', '__mp_main__'}))"
        )
        found = python("-S", "-c", asked)
        self.assertEqual(found.stdout.strip(), "[]", found.stderr)


class ExitCodeTest(unittest.TestCase):
    def answered(self, code: int, text: str) -> warpwright.Error:
        named = script(f"exit_{code}/warpwright-cli", f"cat <<'END'\n{text}\nEND\necho the end >&2\nexit {code}\n")
        with mock.patch.dict(os.environ, {"WARPWRIGHT_CLI": named}):
            with self.assertRaises(warpwright.Error) as caught:
                cli.call("show", "1")
        return caught.exception

    def test_each_code_is_a_type_with_the_sentence(self) -> None:
        types = {
            1: warpwright.Failed,
            2: warpwright.WrongUsage,
            3: warpwright.Missing,
            4: warpwright.UnknownKey,
            5: warpwright.RevokedKey,
            6: warpwright.NotJudged,
            130: warpwright.Interrupted,
        }
        error = {"code": "io", "message": "a sentence", "cause": "a cause", "line": 3, "column": 5, "hint": "a hint"}
        for code, kind in types.items():
            with self.subTest(code=code):
                e = self.answered(code, json.dumps({"schema": cli.SCHEMA, "command": "show", "error": error}))
                self.assertIs(type(e), kind)
                self.assertEqual((e.message, e.code, e.exit_code, e.line, e.column), ("a sentence", "io", code, 3, 5))
                self.assertEqual(str(e), "a sentence\na cause\na hint")
                self.assertIs(type(self.answered(code, json.dumps({"schema": cli.SCHEMA}))), kind)

    def test_another_schema_and_no_json_are_disagreements(self) -> None:
        for text in ('{"schema": "warpwright-cli/2"}', "{}", "[1]", "no JSON", ""):
            with self.subTest(text=text):
                self.assertIsInstance(self.answered(0, text), warpwright.Disagreement)

    def test_a_killed_program_is_an_interruption(self) -> None:
        named = script("killed/warpwright-cli", "kill -9 $$\n")
        with mock.patch.dict(os.environ, {"WARPWRIGHT_CLI": named}):
            with self.assertRaisesRegex(warpwright.Interrupted, "SIGKILL"):
                cli.call("show", "1")

    def test_options_follow_the_values(self) -> None:
        made = cli.options(
            device="simt", set={"R": 4}, input=["a", "b"], unsigned=True, seed=None, ptx=False, run_file=0
        )
        wanted = "--device simt --set R=4 --input a --input b --unsigned --run-file 0"
        self.assertEqual(made, wanted.split())


if __name__ == "__main__":
    unittest.main()
