# SPDX-License-Identifier: Apache-2.0
"""Tests {{package}} on the first CUDA device: python3 test_kernel.py"""
import sys
import threading

import torch

from {{package}} import BACKWARD, DIFFERENTIABLE, OPERATOR, PLAN, TABLE, PlanError, expression, reference, {{function}}
from {{package}}.inputs import inputs_of

# Of the largest element of the output, by its type; the gate's own bound, for each element, is tighter.
TOLERANCE = {torch.float64: 1e-10, torch.float32: 2e-3, torch.float16: 2e-2, torch.bfloat16: 1e-1, getattr(torch, "float8_e4m3fn", None): 3e-1,
             getattr(torch, "float8_e5m2", None): 5e-1}


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def agree(actual, wanted, what, tensors=PLAN.outputs):
    for a, w, tensor in zip(listed(actual), listed(wanted), tensors):
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
    """The plans' own and others: none smaller where inputs hold positions, which inputs_of() draws for the plan's own."""
    positions = any(t["hi"] is not None and not t["dtype"].startswith(("f", "bf", "e")) for t in PLAN.inputs)
    for _, case in TABLE.cases():
        yield dict(case)
    for change in (lambda n: n + 3, lambda n: 2 * n) if positions else (lambda n: max(1, n // 2), lambda n: max(1, n - 1), lambda n: n + 3):
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


def test_dispatch():
    """Each kernel runs the sizes for which it was explored."""
    for number, case in TABLE.cases():
        chosen = TABLE.choice([case[s] for s in PLAN.symbols])
        assert chosen and chosen[0] == number, f"sizes {case}"


def test_compile():
    arguments = inputs_of(PLAN.data["sizes"])
    agree(torch.compile(lambda *a: {{function}}(*a), fullgraph=True)(*arguments), {{function}}(*arguments), "torch.compile")


def test_dynamic():
    """One function for several sizes that the kernel claims. A size of 1 is a case of its own to torch.compile."""
    compiled, tried = torch.compile(lambda *a: {{function}}(*a), fullgraph=True, dynamic=True), 0
    for sizes in sizes_to_try():
        try:
            claimed = TABLE.choice([sizes[s] for s in PLAN.symbols])
        except PlanError:
            continue
        if claimed and tried < 2:
            arguments = inputs_of(sizes)
            agree(compiled(*arguments), {{function}}(*arguments), f"torch.compile with dynamic sizes {sizes}")
            tried += 1
    print(f"  dynamic sizes: {tried} tried")


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


def test_thread():
    """A thread that has not used the device yet, such as autograd's own."""
    arguments, made = inputs_of(PLAN.data["sizes"]), []
    thread = threading.Thread(target=lambda: made.append({{function}}(*arguments)))
    thread.start()
    thread.join()
    assert made, "the call on another thread failed"
    torch.cuda.synchronize()
    agree(made[0], {{function}}(*arguments), "another thread")


def test_opcheck():
    torch.library.opcheck(OPERATOR, tuple(inputs_of(PLAN.data["sizes"])))


def test_errors():
    arguments = inputs_of(PLAN.data["sizes"])
    first = arguments[0]

    def fails(changed, text):
        try:
            {{function}}(*changed)
        except PlanError as e:
            assert text in str(e), f"'{e}' does not say '{text}'"
        else:
            raise AssertionError(f"no error: {text}")

    if first.dim():
        fails([first[None], *arguments[1:]], "dimensions")
    fails([first.to(torch.complex64), *arguments[1:]], "must be torch.")
    if first.dim() > 1 and first.shape[0] > 1 and first.shape[-1] > 1:
        fails([first.transpose(0, -1).contiguous().transpose(0, -1), *arguments[1:]], "contiguous")
    fails([a.cpu() if isinstance(a, torch.Tensor) else a for a in arguments], "CUDA device")
    count, seen = len(PLAN.inputs), set()
    for i, tensor in enumerate(PLAN.inputs):
        for axis, text in enumerate(tensor["shape"]):
            if text in seen or "v_" not in text:  # a size that another dimension tells, or a number
                shape = list(arguments[i].shape)
                shape[axis] += 1
                longer = torch.zeros(shape, dtype=arguments[i].dtype, device="cuda")
                fails([*arguments[:i], longer, *arguments[i + 1:]], "dimension ")
            seen.add(text)
    for other in ["cpu", *(f"cuda:{d}" for d in range(1, torch.cuda.device_count()))]:
        for i in range(count if count > 1 else 0):
            fails([*arguments[:i], arguments[i].to(other), *arguments[i + 1:]], "different devices")


def test_devices():
    """Every device takes its own tensors, whichever is the current one."""
    arguments = inputs_of(PLAN.data["sizes"])
    wanted = {{function}}(*arguments)
    for device in range(1, torch.cuda.device_count()):
        made = {{function}}(*(a.to(f"cuda:{device}") if isinstance(a, torch.Tensor) else a for a in arguments))
        assert all(m.get_device() == device for m in listed(made)), f"an output is not on cuda:{device}"
        agree([m.to("cuda:0") for m in listed(made)], wanted, f"cuda:{device}")
    print(f"  devices: {torch.cuda.device_count()}")


def with_gradients(arguments):
    """Copies of which autograd wants the gradients that the backward gives."""
    names = {t["name"] for t in PLAN.inputs} if BACKWARD is None else BACKWARD.plan.data["gradient_outputs"]
    wanted = [t["name"] in names for t in PLAN.inputs] + [False] * len(PLAN.free)
    return [a.detach().clone().requires_grad_() if w and a.is_floating_point() else a for a, w in zip(arguments, wanted)]


def gradients(function, arguments):
    """Of the inputs that the backward differentiates by, in their order, for the same random gradients of the outputs each time."""
    inputs, generator = with_gradients(arguments), torch.Generator(device="cuda").manual_seed(1)
    results = [r for r in listed(function(*inputs)) if r.requires_grad]
    incoming = [torch.randn(r.shape, generator=generator, device="cuda").to(r.dtype) for r in results]
    by = [x for x, t in zip(inputs, PLAN.inputs) if t["name"] in BACKWARD.plan.data["gradient_outputs"]]
    return torch.autograd.grad(results, by, incoming)


def by_autograd(*arguments):
    """The reference whose gradients autograd works out."""
    sizes = PLAN.bind([a.shape for a in arguments[:len(PLAN.inputs)]], arguments[len(PLAN.inputs):])
    results = listed(expression(sizes)(*arguments[:len(PLAN.inputs)]))
    return [r.reshape(PLAN.shape(t, sizes)) for r, t in zip(results, PLAN.outputs)]


def test_backward():
    """Gradients against PyTorch's own, in eager mode and compiled; without a backward, the error that says so."""
    if BACKWARD is None:
        for result in (r for r in listed({{function}}(*with_gradients(inputs_of(PLAN.data["sizes"])))) if r.requires_grad):
            try:
                result.sum().backward()
            except RuntimeError as e:
                assert "has no backward" in str(e)
            else:
                raise AssertionError("no error: backward")
        return
    named = [{"name": f"the gradient of {t['name']}"} for t in PLAN.inputs if t["name"] in BACKWARD.plan.data["gradient_outputs"]]
    for sizes in sizes_to_try():
        try:
            arguments = inputs_of(sizes)
            wanted = gradients(by_autograd, arguments)
        except (PlanError, RuntimeError, NotImplementedError) as e:
            print(f"  gradients not tried: {sizes}: {e}")
            continue
        agree(gradients({{function}}, arguments), wanted, f"sizes {sizes}", named)
    arguments = inputs_of(PLAN.data["sizes"])
    compiled = torch.compile(lambda *a: {{function}}(*a), fullgraph=True)
    agree(gradients(compiled, arguments), gradients({{function}}, arguments), "torch.compile", named)


def test_backward_opcheck():
    if BACKWARD is not None:
        torch.library.opcheck(DIFFERENTIABLE, tuple(with_gradients(inputs_of(PLAN.data["sizes"]))))


def test_one_derivative():
    """A second derivative is an error, not a wrong number."""
    if BACKWARD is None:
        return
    inputs = with_gradients(inputs_of(PLAN.data["sizes"]))
    results = [r for r in listed({{function}}(*inputs)) if r.requires_grad]
    by = [x for x, t in zip(inputs, PLAN.inputs) if t["name"] in BACKWARD.plan.data["gradient_outputs"]]
    incoming = [torch.ones_like(r).requires_grad_() for r in results]
    first = torch.autograd.grad(results, by, incoming, create_graph=True)
    try:
        sum(g.double().sum() for g in first if g.requires_grad).backward()
    except RuntimeError as e:
        assert "differentiate twice" in str(e), str(e)
    else:
        raise AssertionError("no error: a second derivative")


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
