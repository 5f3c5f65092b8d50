# SPDX-License-Identifier: Apache-2.0
"""The page about Python and the notebook do what they say."""

from __future__ import annotations

import os
import pathlib
import re
import sys
import unittest
from typing import Any

from .support import needs, path, python

ROOT = pathlib.Path(__file__).resolve().parents[3]


class DocumentsTest(unittest.TestCase):
    def test_the_page_runs_as_it_is(self) -> None:
        text = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = [b for b in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "torch." not in b]
        self.assertGreaterEqual(len(blocks), 6)
        os.makedirs(path("page"), exist_ok=True)
        script = pathlib.Path(path("page/page.py"))
        script.write_text(f"import os; os.chdir({path('page')!r})\n" + "\n".join(blocks))
        done = python(str(script), WARPWRIGHT_WORKSPACE=path("page/workspace"))
        self.assertEqual(done.returncode, 0, done.stderr)
        for said in (
            "<Kernel softmax: candidate",
            "simulated issue slots",
            "l2_norm of x - ",
            "rejected - ",
            "accepted",
        ):
            self.assertIn(said, done.stdout)
        self.assertTrue(os.path.exists(path("page/softmax.html")))

    def test_the_notebook_runs_from_top_to_bottom(self) -> None:
        needs("nbclient", "no notebook client")
        needs("ipykernel", "no notebook client")
        import nbclient
        import nbformat

        notebook = nbformat.read(ROOT / "docs" / "notebooks" / "first.ipynb", as_version=4)
        where = {"PYTHONPATH": os.pathsep.join(sys.path), "WARPWRIGHT_WORKSPACE": path("notebook")}
        client = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3")
        nbformat.validate(notebook)
        client.create_kernel_manager()
        client.start_new_kernel(env={**os.environ, **where})
        with client.setup_kernel():
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
        outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
        self.assertFalse([o for o in outputs if o.output_type == "error"])
        shown = " ".join(self.html(o) for o in outputs)
        self.assertIn("<svg", shown)
        self.assertIn("<table", shown)

    @staticmethod
    def html(output: Any) -> str:
        return str(output.get("data", {}).get("text/html", ""))


if __name__ == "__main__":
    unittest.main()
