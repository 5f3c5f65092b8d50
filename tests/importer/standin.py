#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Answers in place of resources/python/torch_import.py, which is its second argument: a task's file holds, as JSON, what to answer;
or its first line does, behind "# ", so that the file is Python. Other scripts it runs with the stand-in for PyTorch beside it."""
import base64
import json
import os
import pathlib
import struct
import sys

if pathlib.Path(sys.argv[2]).name != "torch_import.py":
    os.environ["PYTHONPATH"] = str(pathlib.Path(__file__).parent / "torch_standin")
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
sys.path.insert(0, str(pathlib.Path(sys.argv[2]).parent))
from frames import Refused, serve  # noqa: E402

task = {}


def packed(dtype, values):
    code = {"f32": "f", "f64": "d"}[dtype]
    return {"dtype": dtype, "shape": [len(values)], "data": base64.b64encode(struct.pack(f"<{len(values)}{code}", *values)).decode()}


def answer(method, params):
    global task
    if method == "describe":
        return {"python": "3", "torch": "stand-in", "why_not": os.environ.get("TORCH_STANDIN_WHY_NOT", "")}
    if method == "import":
        text = pathlib.Path(params["file"]).read_text()
        task = json.loads(text.splitlines()[0][2:] if text.startswith("# ") else text)
        if "hold" in task:  # until it is stopped
            pathlib.Path(task["hold"]).touch()
            sys.stdin.buffer.read()
        if "refused" in task:
            raise Refused(*task["refused"])
        inputs = task.get("inputs", [{"name": "x", "argument": 0}, {"name": "w", "state": "layer.w"}])
        return {"text": task["text"], "inputs": inputs, "outputs": ["y"],
                "sizes": {"N": 1024}, "notes": ["A note."]}
    n = 3 + params["set"]
    x, w = [float(k + 1) for k in range(n)], [2.0] * n
    y = [a * b * task["factor"] for a, b in zip(x, w)]
    return {"sizes": {"N": n}, "seed": params["seed"], "exact": task["exact"], "inputs": {"x": packed("f32", x), "w": packed("f32", w)},
            "outputs": {"y": packed("f64", y)}}


serve(answer, "the stand-in failed")
