# SPDX-License-Identifier: Apache-2.0
"""Tensors against specs, functions as files, tables and charts: nothing here runs the program."""

from __future__ import annotations

import dataclasses
import functools
import math
import pathlib
import unittest
import xml.etree.ElementTree as xml
from typing import Any

import warpwright
from warpwright import fit, frozen, html
from warpwright.records import Spec

from .support import Shaped, needs, python

MATMUL = Spec.of(
    {
        "name": "matmul",
        "text": "",
        "inputs": [
            {"name": "a", "dtype": "f32", "shape": ["M", "K"]},
            {"name": "b", "dtype": "f32", "shape": ["K", "4"]},
        ],
        "outputs": [],
        "symbols": ["M", "K"],
        "defaults": {},
    }
)
SCALE, LIMITS = 2.5, (0.0, math.inf)


def helper(x: Any) -> Any:
    return x * SCALE


def plain(x: Any, low: float = -1.0, *, high: float = math.inf) -> Any:
    return helper(x) + math.sqrt(2) + LIMITS[0] + (low if high else 0)


@functools.lru_cache
def decorated(x: Any) -> Any:
    return x


def recursive(x: Any) -> Any:
    return x if x < 1 else recursive(x - 1)


HELD = Shaped(4)


def holding(x: Any) -> Any:
    return (x, HELD)


class FitTest(unittest.TestCase):
    def test_shapes_give_the_sizes(self) -> None:
        self.assertEqual(fit.sizes(MATMUL, [Shaped(2, 3), Shaped(3, 4)]), {"M": 2, "K": 3})
        self.assertEqual(fit.sizes(MATMUL, [Shaped(2, 3, dtype="torch.float32"), Shaped(3, 4)]), {"M": 2, "K": 3})

    def test_values_in_the_spec_are_not_given(self) -> None:
        fixed = dataclasses.replace(MATMUL, text="//@ value: b AACAPw==\nop matmul")
        self.assertEqual([t.name for t in fixed.taken], ["a"])
        self.assertEqual(fit.sizes(fixed, [Shaped(2, 3)]), {"M": 2, "K": 3})
        with self.assertRaisesRegex(warpwright.DoesNotFit, "1 tensors, not 2"):
            fit.sizes(fixed, [Shaped(2, 3), Shaped(3, 4)])

    def test_what_does_not_fit_says_why(self) -> None:
        cases = {
            "2 tensors, not 1": [Shaped(2, 3)],
            "3 dimensions": [Shaped(1, 2, 3), Shaped(3, 4)],
            "tensor of f16": [Shaped(2, 3, dtype="float16"), Shaped(3, 4)],
            "tensor of complex64": [Shaped(2, 3, dtype="complex64"), Shaped(3, 4)],
            "K is 3, but dimension 0 of b is 5": [Shaped(2, 3), Shaped(5, 4)],
            "dimension 1 of b is 5": [Shaped(2, 3), Shaped(3, 5)],
            "value of type float": [1.0, Shaped(3, 4)],
        }
        for sentence, tensors in cases.items():
            with self.subTest(sentence), self.assertRaisesRegex(warpwright.DoesNotFit, sentence):
                fit.sizes(MATMUL, tensors)

    def test_tensors_without_a_gpu_are_for_the_simt_machine(self) -> None:
        self.assertEqual(fit.device([Shaped(4)]), "simt")


class FrozenTest(unittest.TestCase):
    def run_file(self, function: Any) -> dict[str, Any]:
        text = frozen.source(function).replace("import torch\n", "", 1)
        made: dict[str, Any] = {}
        exec(compile(text, "frozen.py", "exec"), made)
        return made

    def test_a_file_has_what_the_function_uses_and_no_more(self) -> None:
        made = self.run_file(plain)
        self.assertEqual(made["plain"](2), plain(2))
        self.assertEqual(made["plain"](2, 3.0, high=0), plain(2, 3.0, high=0))
        self.assertNotIn("recursive", made)
        self.assertNotIn("warpwright", made)

    def test_closures_decorators_and_recursion(self) -> None:
        factor = 3

        def scaled(x: Any) -> Any:
            return x * factor

        self.assertEqual(self.run_file(scaled)["scaled"](2), 6)
        self.assertEqual(self.run_file(decorated.__wrapped__)["decorated"](2), 2)
        self.assertEqual(self.run_file(recursive)["recursive"](3), 0)

    def test_a_held_object_is_refused(self) -> None:
        with self.assertRaisesRegex(warpwright.CannotImport, "holding uses 'HELD', a Shaped"):
            frozen.source(holding)
        with self.assertRaisesRegex(warpwright.CannotImport, "with def"):
            frozen.source(lambda x: x)


class HtmlTest(unittest.TestCase):
    def test_texts_stay_texts(self) -> None:
        shown = html.table([{"<a>": "<script>", "n": None, "x": 1.5}])
        self.assertIn("&lt;script&gt;", shown)
        self.assertNotIn("<script>", shown)
        self.assertNotIn("None", shown)
        self.assertIn("<p>none</p>", html.table([]))
        self.assertIn("and 3 more", html.table([{"n": n} for n in range(html.MOST_ROWS + 3)]))

    def test_hashes_leave_room_for_the_other_columns(self) -> None:
        shown = html.table([{"hash": "0123456789abcdef" * 4, "rank": 1}])
        self.assertIn(">0123456789ab</td>", shown)
        self.assertIn(f'title="{"0123456789abcdef" * 4}"', shown)

    def test_the_caption_fits_into_the_chart(self) -> None:
        for unit in ("us", "simulated issue slots"):
            root = xml.fromstring(html.chart([6998.4, 6883.2, 7241.6], unit))
            caption = [e for e in root.iter() if e.tag.endswith("text")][-1]
            self.assertIn(unit, str(caption.text))
            # 11-point sans serif takes 6 pixels a character on average
            end = float(caption.attrib["x"]) + 6 * len(str(caption.text))
            self.assertLess(end, float(root.attrib["width"]))

    def test_the_best_so_far_only_falls(self) -> None:
        self.assertEqual(html.best_so_far([None, 5, 7, None, 3]), [None, 5, 5, 5, 3])

    def test_charts_are_svg(self) -> None:
        for scores in ([5.0], [None, 5.0, 7.0, 3.0], [2.0, 2.0]):
            with self.subTest(scores=scores):
                root = xml.fromstring(html.chart(scores, "a < b"))
                self.assertTrue(root.tag.endswith("svg"))
                dots = [e for e in root.iter() if e.tag.endswith("circle")]
                self.assertEqual(len(dots), sum(s is not None for s in scores))
        self.assertEqual(html.chart([None], "us"), "")
        self.assertEqual(html.chart([], "us"), "")


class TypesTest(unittest.TestCase):
    def test_mypy_strict(self) -> None:
        needs("mypy", "no mypy")
        root = pathlib.Path(warpwright.__file__).resolve().parents[1]
        config = root / "pyproject.toml"
        checked = python("-m", "mypy", "--config-file", str(config), "--cache-dir", "/dev/null", MYPYPATH=str(root))
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)


if __name__ == "__main__":
    unittest.main()
