#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares derived gradients with torch.autograd: bench_gradients | gradients.py. Both in f64, on the same random inputs and gradients of the
results, at two small sizes. An expression that computes a part in another type is compared within that type's precision, and named."""
import json
import math
import sys

import torch
import torch.nn.functional as F

DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
          "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool}


def tensor(t):
    values = torch.tensor(t["values"], dtype=torch.float64).to(DTYPES[t["dtype"]]).reshape(t["shape"])
    return values.long() if values.dtype is torch.int32 else values  # the type of indices in PyTorch


def slope_of(name, expression, tried):
    """The gradient of an input by torch.autograd; None: PyTorch has none of it."""
    inputs = [tensor(t).requires_grad_(t["name"] == name) for t in tried["inputs"]]
    names = ", ".join(t["name"] for t in tried["inputs"])
    known = {"torch": torch, "F": F, "math": math, **tried["sizes"], **tried["constants"]}
    try:
        results = eval(f"lambda {names}: ({expression})", known)(*inputs)
    except RuntimeError as e:
        if "not differentiable with respect to" in str(e):
            return None
        raise
    results = results if isinstance(results, (tuple, list)) else [results]
    pairs = [(r, tensor(g).to(r.dtype).reshape(r.shape)) for r, g in zip(results, tried["results"]) if g and r.requires_grad]
    wanted = next(t for t in inputs if t.requires_grad)
    slope = torch.autograd.grad([r for r, _ in pairs], wanted, [g for _, g in pairs], allow_unused=True)[0] if pairs else None
    return torch.zeros_like(wanted) if slope is None else slope


def difference(expression, tried):
    """The largest error of a gradient, as a part of its largest element."""
    errors = []
    for t in tried["inputs"]:
        theirs = slope_of(t["name"], expression, tried) if t["name"] in tried["gradients"] else None
        if theirs is None:
            continue
        ours = torch.tensor(tried["gradients"][t["name"]], dtype=torch.float64).reshape(t["shape"])
        error = torch.where((ours == theirs) | (ours.isnan() & theirs.isnan()), 0.0, (ours - theirs).abs()).flatten()
        finite = theirs[theirs.isfinite()].abs()
        scale = max(float(finite.max()) if finite.numel() else 0.0, 1e-300)
        errors.append(math.inf if error.isnan().any() else float(error.max()) / scale if error.numel() else 0.0)
    if not errors:
        raise ValueError("PyTorch has no gradient of its inputs")
    return max(errors)


counts = {"equal": [], "within f32": [], "DIFFERENT": [], "not compared": [], "refused": []}
for line in sys.stdin:
    one = json.loads(line)
    name = one["op"]
    if "refused" in one:
        counts["refused"].append(f"{name}: {one['refused']}")
        continue
    try:
        if "why" in one or any("why" in t for t in one["tries"]):
            raise ValueError(one.get("why") or next(t["why"] for t in one["tries"] if "why" in t))
        errors = [difference(one["torch"], t) for t in one["tries"]]
    except Exception as e:  # what PyTorch raises for an expression: of f64, of these sizes, of a part without gradient
        counts["not compared"].append(f"{name}: {type(e).__name__}: {str(e).splitlines()[0][:150]}")
        continue
    worst = max(errors)
    where = "equal" if worst <= 1e-9 else "within f32" if worst <= 1e-5 else "DIFFERENT"
    counts[where].append(name if where == "equal" else f"{name}: {worst:.2g}")
print(f"torch {torch.__version__}; an error is the largest of a gradient's elements, as a part of its largest element; equal: at most 1e-9")
print(", ".join(f"{len(v)} {k}" for k, v in counts.items()))
for kind, lines in counts.items():
    print(f"\n{kind}:")
    print("  " + (", ".join(lines) if kind == "equal" else "\n  ".join(lines) or "none"))
sys.exit(1 if counts["DIFFERENT"] else 0)
