# SPDX-License-Identifier: Apache-2.0
"""Tests of tests/bench/kernelbench_visits.py: visits that add up, and the scores of the visits that are kept."""
import pathlib
import sys
import unittest

bench = pathlib.Path(__file__).parents[1] / "bench"
sys.path.insert(0, str(bench))
import kernelbench_visits as visits  # noqa: E402


def row(number, judged=None, outcome="correct", kernel=None, visit="first"):
    verdict = {"outcome": judged, "by_kernel": True, "kernel_ms": kernel, "eager_ms": 2.0, "compile_ms": None} if judged else None
    return visits.row_of({"level": 1, "number": number, "name": f"T{number}", "spec": "equal", "outcome": outcome, "accepted": 1, "judged": verdict}, visit)


class Visits(unittest.TestCase):
    def test_a_text_is_read_as_it_was_written(self):
        rows = [row(1, "correct", kernel=0.5), row(2), row(3, "incorrect"), row(4, outcome="none accepted")]
        self.assertEqual(visits.read(visits.text_of(rows)), rows)

    def test_bad_texts_are_named(self):
        good = visits.text_of([row(1, "correct", kernel=0.5)])
        for bad in ("", "level\tnumber\n", good + "1\t2\n", good.replace("0.5", "fast"), good.replace("yes", "perhaps")):
            with self.assertRaises(ValueError):
                visits.read(bad)

    def test_later_visits_add_and_lose_nothing(self):
        first = [row(1, "correct", kernel=1.0), row(2, outcome="none accepted"), row(3, "not evaluated")]
        second = [row(1, outcome="none accepted", visit="second"), row(2, "incorrect", visit="second"), row(5, visit="second")]
        made = visits.merged([first, second])
        self.assertEqual([(r["number"], r["visit"]) for r in made], [(1, "first"), (2, "second"), (3, "first"), (5, "second")])
        again = visits.merged([made, [row(1, "incorrect", visit="third")]])
        self.assertEqual(again[0]["visit"], "third")

    def test_scores(self):
        rows = [row(1, "correct", kernel=1.0), row(2, "correct", kernel=4.0), row(3, "incorrect"), row(4), row(5, "correct")]
        self.assertEqual(visits.scores(rows, "eager_ms"), "fast_0 2/3, fast_1 1/3, fast_1.5 1/3, fast_2 0/3; geometric mean of the correct 1.000")
        self.assertEqual(visits.scores([], "eager_ms"), "nothing was timed")

    def test_kept_visits(self):
        made = visits.table(visits.read((bench / "results/kernelbench_2026-11-30.tsv").read_text()))
        self.assertIn("47 tasks begun, 47 imported and equal, 42 with an accepted candidate, 41 judged by KernelBench, 34 correct, of these 34", made)
        self.assertIn("against eager: fast_0 34/41, fast_1 16/41, fast_1.5 11/41, fast_2 8/41; geometric mean of the correct 0.772", made)
        self.assertIn("not evaluated by KernelBench: 95 CrossEntropyLoss", made)


if __name__ == "__main__":
    unittest.main()
