# SPDX-License-Identifier: Apache-2.0
"""The package with the real program on the SIMT machine."""

from __future__ import annotations

import os
import pathlib
import signal
import subprocess
import sys
import unittest
from typing import Any
from unittest import mock

import warpwright
from warpwright import cli, exploration

from .support import QUICK, RELU, SMALL, WRONG, Shaped, explored, needs, path, python, shared


class DescribeTest(unittest.TestCase):
    def test_sentences_names_specs_and_files(self) -> None:
        said = warpwright.describe("softmax over the rows of a 4x8 matrix")
        self.assertEqual((said.spec.name, said.spec.defaults), ("softmax", {"R": 4, "C": 8}))
        self.assertEqual(str(said.spec.inputs[0]), "x: f32[R, C]")
        self.assertIn(("over the rows", "each row on its own: over dimension 1 of 8"), said.words)
        self.assertIn("op softmax", str(said))
        self.assertIn("<pre>", said._repr_html_())
        again = warpwright.describe(said.spec.text)
        self.assertEqual(again.spec, said.spec)
        file = pathlib.Path(path("described.op"))
        file.write_text(said.spec.text)
        self.assertEqual(warpwright.describe(file).spec, said.spec)
        self.assertEqual(warpwright.describe("-x").spec.name, "formula")

    def test_an_unknown_text(self) -> None:
        with self.assertRaisesRegex(warpwright.NotUnderstood, "frobnicate") as caught:
            warpwright.describe("frobnicate the wibble")
        self.assertNotIsInstance(caught.exception, warpwright.Question)
        self.assertEqual(len(caught.exception.questions), 2)
        for nothing in ("", "  ", "\n"):
            with self.subTest(nothing), self.assertRaises(warpwright.Error):
                warpwright.describe(nothing)

    def test_a_question_holds_its_choices(self) -> None:
        for ask in (warpwright.describe, warpwright.kernel, warpwright.explore):
            with self.subTest(ask), self.assertRaises(warpwright.Question) as caught:
                ask("norm of x")  # type: ignore[operator]
            choice = caught.exception.choices[0]
            self.assertIn(choice.sentence, str(caught.exception))
            self.assertEqual(warpwright.describe(choice.sentence).spec, choice.spec)

    def test_a_broken_spec_names_the_place(self) -> None:
        with self.assertRaises(warpwright.WrongUsage) as caught:
            warpwright.describe("op f(x: f32[N]) -> y: f32[N]\n{\n  y[i] = z[i]\n}\n")
        self.assertEqual((caught.exception.code, caught.exception.line), ("parse", 3))


class CheckTest(unittest.TestCase):
    def test_a_right_and_a_wrong_kernel(self) -> None:
        file = pathlib.Path(path("right.cu"))
        file.write_text(RELU)
        for source in (RELU, file, str(file)):
            verdict = warpwright.check("relu of a 4x8 matrix", source, seeds=1)
            self.assertTrue(verdict and verdict.accepted, verdict)
            self.assertEqual(verdict.score and verdict.score.provenance, "simulated")
        refused = warpwright.check("relu", WRONG, sizes=SMALL, seeds=1)
        self.assertFalse(refused)
        self.assertEqual((refused.ruling, refused.score), ("rejected", None))
        self.assertIn("failed", [s.outcome for s in refused.stages])
        self.assertIn("rejected at", refused._repr_html_())

    def test_the_op_that_the_kernel_names(self) -> None:
        self.assertTrue(warpwright.check(None, RELU, sizes=SMALL, seeds=1))

    def test_what_cannot_be_judged(self) -> None:
        with self.assertRaises(warpwright.Error):
            warpwright.check("relu", path("missing.cu"))
        with self.assertRaisesRegex(warpwright.WrongUsage, "Q"):
            warpwright.check("relu", RELU, sizes={"Q": 1})


class ExploreTest(unittest.TestCase):
    def test_events_come_one_a_candidate(self) -> None:
        done = explored()
        self.assertEqual([(e.judged, e.budget) for e in done.events], [(1, 2), (2, 2)])
        self.assertEqual(list(done), done.events)
        assert done.run and done.best and done.best.score
        self.assertEqual((done.run.state, done.run.accepted, len(done.candidates)), ("done", 2, 2))
        self.assertEqual(done.events[-1].best and done.events[-1].best.id, done.best.id)
        self.assertIn("<svg", done._repr_html_())
        self.assertIn(done.best.title, done._repr_html_())

    def test_leaving_the_loop_stops_the_run_which_can_be_resumed(self) -> None:
        workspace = path("left")
        for event in warpwright.explore("relu", budget=1000, sizes=SMALL, workspace=workspace, **QUICK):
            break
        run = warpwright.runs(workspace, frame=False)[0]
        self.assertEqual((run.id, run.state), (event.run, "cancelled"))
        judged = run.judged
        resumed = warpwright.explore(resume=run.id, budget=judged + 1, workspace=workspace, workers=1).finish()
        assert resumed.run
        self.assertEqual((resumed.run.id, resumed.run.state, resumed.run.judged), (run.id, "done", judged + 1))
        self.assertEqual(len(resumed.events), 1)
        self.assertLessEqual(judged + 1, len(resumed.candidates))

    def test_a_killed_run_is_an_interruption_that_names_it(self) -> None:
        workspace = path("killed")
        started: list[cli.Process] = []

        class Watched(cli.Process):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                started.append(self)

        with mock.patch.object(exploration.cli, "Process", Watched):
            with self.assertRaisesRegex(warpwright.Interrupted, "SIGKILL") as caught:
                for _ in warpwright.explore("relu", budget=1000, sizes=SMALL, workspace=workspace, **QUICK):
                    os.kill(next(p for p in started if p.words == ["explore"]).pid, signal.SIGKILL)
        run = caught.exception.run
        assert run is not None
        self.assertIn(f"explore(resume={run})", str(caught.exception))
        resumed = warpwright.explore(resume=run, budget=2, workspace=workspace, workers=1).finish()
        self.assertEqual(resumed.run and resumed.run.state, "done")

    def test_bad_arguments(self) -> None:
        with self.assertRaises(TypeError):
            warpwright.explore()
        with self.assertRaises(TypeError):
            warpwright.explore("relu", resume=1)
        with self.assertRaisesRegex(warpwright.WrongUsage, "budget"):
            warpwright.explore("relu", budget=-1, workspace=path("bad")).finish()
        with self.assertRaises(warpwright.Missing):
            warpwright.explore("relu", device="cuda:77", workspace=path("bad")).finish()

    def test_the_bar_is_drawn_where_tqdm_is_installed(self) -> None:
        needs("tqdm", "no tqdm")
        asked = (
            "import sys, warpwright; warpwright.explore('relu', budget=1, seeds=1, workers=1, sizes={'R': 4, 'C': 8},"
            "workspace=sys.argv[1], progress=True).finish()"
        )
        drawn = python("-c", asked, path("bar"))
        self.assertIn("1/1", drawn.stderr)


class WorkspaceTest(unittest.TestCase):
    def test_runs_and_candidates_as_lists(self) -> None:
        listed = warpwright.runs(shared(), frame=False)
        self.assertEqual([(r.id, r.op) for r in listed], [(1, "relu")])
        self.assertIn("relu", listed._repr_html_())
        self.assertEqual(str(listed), "run 1: relu on simt, done, 2 of 2 accepted")
        found = warpwright.candidates(1, shared(), frame=False)
        self.assertEqual([c.id for c in found], [1, 2])
        self.assertEqual(found[0].row()["provenance"], "simulated")
        self.assertIn("<table>", found._repr_html_())
        self.assertEqual(warpwright.measurements(1, shared(), frame=False), [])

    def test_runs_and_candidates_as_frames(self) -> None:
        needs("pandas", "no pandas")
        self.assertEqual(list(warpwright.runs(shared())["op"]), ["relu"])
        found = warpwright.candidates("last", shared())
        self.assertEqual(list(found["id"]), [1, 2])
        self.assertEqual(sorted(found["rank"]), [1, 2])
        self.assertEqual(list(warpwright.measurements(1, shared()).columns)[:3], ["id", "candidate", "kind"])

    def test_show_diff_report_and_export(self) -> None:
        shown = warpwright.show(1, shared(), ptx=True)
        self.assertIn(".visible .entry", shown["verdict"]["ptx"])
        self.assertIn("\n-", warpwright.diff(1, 2, shared()))
        self.assertEqual(warpwright.diff(1, 1, shared()), "")
        self.assertIn("<html", warpwright.report(1, path("report.html"), shared()).read_text())
        with self.assertRaisesRegex(warpwright.WrongUsage, "not signed"):
            warpwright.export(1, path("signed"), workspace=shared())
        made = warpwright.export(1, path("unsigned"), form="ptx", unsigned=True, workspace=shared())
        self.assertIn("plan.json", made["files"])

    def test_what_is_not_there(self) -> None:
        with self.assertRaisesRegex(warpwright.Missing, "is not a Warpwright workspace"):
            warpwright.runs(path("no workspace"))
        with self.assertRaisesRegex(warpwright.WrongUsage, "no candidate '77'"):
            warpwright.show(77, shared())
        with self.assertRaises(warpwright.Error):
            warpwright.candidates(77, shared())
        with self.assertRaises(warpwright.Missing):
            warpwright.profile(1, shared(), device="cuda:77")


class KernelTest(unittest.TestCase):
    def test_one_that_was_accepted_before_is_taken(self) -> None:
        k = warpwright.kernel("relu", Shaped(4, 8), workspace=shared())
        self.assertEqual(len(warpwright.runs(shared(), frame=False)), 1)
        best = explored().best
        assert best
        self.assertEqual((k.candidate.id, k.score, k.run.id), (best.id, best.score, 1))
        self.assertTrue(k.verdict)
        self.assertEqual(k.review, "open")
        self.assertIn("//@ candidate relu", k.source)
        self.assertIn(".visible .entry", k.ptx)
        self.assertEqual(k.plan.data["sizes"], SMALL)
        self.assertTrue(k.plan.claims(k.plan.bind([(4, 8)])))
        self.assertIn(f"candidate {best.id}", repr(k))
        self.assertIn("<table>", k._repr_html_())
        self.assertTrue(k.report(path("kernel.html")).exists())

    def test_other_sizes_specs_and_devices_are_not_taken(self) -> None:
        workspace = path("others")
        options: dict[str, Any] = {"budget": 1, "workspace": workspace, **QUICK}
        first = warpwright.kernel("relu", Shaped(4, 8), **options)
        self.assertNotEqual(warpwright.kernel("relu", Shaped(8, 4), **options).run.id, first.run.id)
        own = "op relu(x: f32[R, C]) -> y: f32[R, C]\n  default R = 4, C = 8\n{\n  y[r, c] = max(x[r, c], 1)\n}\n"
        self.assertNotEqual(warpwright.kernel(own, **options).run.id, first.run.id)
        self.assertNotEqual(warpwright.kernel("relu", Shaped(4, 8), fresh=True, **options).run.id, first.run.id)
        self.assertEqual(warpwright.kernel("relu", sizes=SMALL, **options).description, first.description)
        with self.assertRaises(warpwright.Missing):
            warpwright.kernel("relu", Shaped(4, 8), **{**options, "device": "cuda:77"})

    def test_without_a_gpu_the_call_says_what_is_missing(self) -> None:
        k = warpwright.kernel("relu", Shaped(4, 8), workspace=shared())
        gpuless = mock.Mock()
        gpuless.cuda.is_available.return_value = False
        for torch, why in ((None, "PyTorch cannot be imported"), (gpuless, "PyTorch finds no NVIDIA GPU")):
            with self.subTest(why), mock.patch.dict(sys.modules, {"torch": torch}):
                with self.assertRaisesRegex(warpwright.CannotRun, f"relu cannot be called here: {why}"):
                    k(Shaped(4, 8))

    def test_tensors_that_do_not_fit(self) -> None:
        with self.assertRaisesRegex(warpwright.DoesNotFit, "not a tensor of 1 dimensions"):
            warpwright.kernel("relu", Shaped(4), workspace=shared())

    def test_a_run_that_accepts_nothing(self) -> None:
        with self.assertRaisesRegex(warpwright.NothingAccepted, "run 1 accepted none") as caught:
            warpwright.kernel("relu", budget=1, generator="manual", workspace=path("nothing"), sizes=SMALL, **QUICK)
        self.assertEqual(caught.exception.run.accepted, 0)

    def test_only_signed_ones(self) -> None:
        with self.assertRaisesRegex(warpwright.Missing, "no signed kernel for relu"):
            warpwright.kernel("relu", Shaped(4, 8), workspace=shared(), signed=True)


class InterruptTest(unittest.TestCase):
    def test_control_c_stops_the_run(self) -> None:
        asked = (
            "import sys, warpwright\n"
            "for _ in warpwright.explore('relu', budget=1000, seeds=1, workers=1, sizes={'R': 4, 'C': 8},"
            " workspace=sys.argv[1]): print('judged', flush=True)\n"
        )
        root = pathlib.Path(warpwright.__file__).resolve().parents[1]
        with subprocess.Popen(
            [sys.executable, "-c", asked, path("interrupted")],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        ) as process:
            assert process.stdout
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            _, said = process.communicate()
        self.assertIn("KeyboardInterrupt", said)
        self.assertEqual(warpwright.runs(path("interrupted"), frame=False)[0].state, "cancelled")


if __name__ == "__main__":
    unittest.main()
