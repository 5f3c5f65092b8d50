# SPDX-License-Identifier: Apache-2.0
"""Tests {{package}} on the first CUDA device: python3 test_kernel.py"""
import sys

import torch

from {{package}} import OPERATOR, PLAN, PlanError, reference, {{function}}
from {{package}}.inputs import inputs_of

# Of the largest element of the output, by its type; the gate's own bound, for each element, is tighter.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 2e-3, torch.float16: 2e-2, torch.bfloat16: 1e-1, getattr(torch, "float8_e4m3fn", None): 3e-1,
             getattr(torch, "float8_e5m2", None): 5e-1}


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def agree(actual, wanted, what):
    for a, w, tensor in zip(listed(actual), listed(wanted), PLAN.outputs):
        assert a.shape == w.shape and a.dtype == w.dtype, f"{what}: {tensor['name']} is {a.dtype}{list(a.shape)}, not {w.dtype}{list(w.shape)}"
        if a.dtype in TOLERANCE:
            a, w = a.double(), w.double()
            same = (a == w) | (a.isnan() & w.isnan())
            scale = w[w.isfinite()].abs().max() if w.isfinite().any() else 1.0
            wrong = ~same & ~((a - w).abs() <= TOLERANCE[listed(actual)[0].dtype] * max(float(scale), 1e-30))
            assert not wrong.any(), f"{what}: {int(wrong.sum())} of {wrong.numel()} elements of {tensor['name']} differ"
        else:
            assert (a != w).double().mean() < 1e-3, f"{what}: {tensor['name']} differs"


def sizes_to_try():
    yield dict(PLAN.data["sizes"])
    for change in (lambda n: max(1, n // 2), lambda n: max(1, n - 1), lambda n: n + 3):
        yield {s: change(n) for s, n in PLAN.data["sizes"].items()}


def test_values():
    tried = 0
    for sizes in sizes_to_try():
        try:
            arguments = inputs_of(sizes)
            wanted = reference(*arguments)
        except (PlanError, RuntimeError, NotImplementedError) as e:  # sizes that the op does not take, or no reference
            print(f"  not tried: {sizes}: {e}")
            continue
        agree({{function}}(*arguments), wanted, f"sizes {sizes}")
        tried += 1
    if not tried:
        {{function}}(*inputs_of(dict(PLAN.data["sizes"])))
        print("  there is nothing to compare with: the op has no PyTorch form")


def test_compile():
    arguments = inputs_of(PLAN.data["sizes"])
    agree(torch.compile(lambda *a: {{function}}(*a), fullgraph=True)(*arguments), {{function}}(*arguments), "torch.compile")


def test_graph():
    arguments = inputs_of(PLAN.data["sizes"])
    wanted = {{function}}(*arguments)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        made = {{function}}(*arguments)
    graph.replay()
    torch.cuda.synchronize()
    agree(made, wanted, "CUDA graph")


def test_opcheck():
    torch.library.opcheck(OPERATOR, tuple(inputs_of(PLAN.data["sizes"])))


def test_errors():
    arguments = inputs_of(PLAN.data["sizes"])
    first = arguments[0]

    def fails(changed, text):
        try:
            {{function}}(changed, *arguments[1:])
        except PlanError as e:
            assert text in str(e), f"'{e}' does not say '{text}'"
        else:
            raise AssertionError(f"no error: {text}")

    if first.dim():
        fails(first[None], "dimensions")
    fails(first.to(torch.complex64), "must be torch.")
    if first.dim() > 1 and first.shape[0] > 1 and first.shape[-1] > 1:
        fails(first.transpose(0, -1).contiguous().transpose(0, -1), "contiguous")
    try:
        {{function}}(*(a.cpu() if isinstance(a, torch.Tensor) else a for a in arguments))
    except PlanError as e:
        assert "CUDA device" in str(e)
    else:
        raise AssertionError("no error: tensors on the CPU")


def test_no_backward():
    arguments = [a.requires_grad_() if isinstance(a, torch.Tensor) and a.is_floating_point() else a for a in inputs_of(PLAN.data["sizes"])]
    results = [r for r in listed({{function}}(*arguments)) if r.requires_grad]
    for result in results:
        try:
            result.sum().backward()
        except RuntimeError as e:
            assert "has no backward" in str(e)
        else:
            raise AssertionError("no error: backward")


def test_views():
    arguments = inputs_of(PLAN.data["sizes"])
    moved = []
    for a in arguments:
        if isinstance(a, torch.Tensor):
            longer = torch.empty(a.numel() + 1, dtype=a.dtype, device=a.device)
            moved.append(longer[1:].view(a.shape).copy_(a))
        else:
            moved.append(a)
    agree({{function}}(*moved), {{function}}(*arguments), "views that are not aligned")


if __name__ == "__main__":
    failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                print(f"ok      {name}")
            except Exception as e:
                failed += 1
                print(f"FAILED  {name}: {type(e).__name__}: {e}")
    sys.exit(1 if failed else 0)
