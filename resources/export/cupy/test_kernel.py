# SPDX-License-Identifier: Apache-2.0
"""Tests {{package}} on the first CUDA device: python3 test_kernel.py. Values are compared with PyTorch's, where it is installed."""
import sys

import cupy

from {{package}} import PLAN, TABLE, PlanError, reference, {{function}}
from {{package}}.inputs import inputs_of

# Of the largest element of the output, by its type; the gate's own bound, for each element, is tighter.
TOLERANCE = {"float64": 1e-10, "float32": 2e-3, "float16": 2e-2}


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def agree(actual, wanted, what):
    for a, w, tensor in zip(listed(actual), listed(wanted), PLAN.outputs):
        assert a.shape == w.shape and a.dtype == w.dtype, f"{what}: {tensor['name']} is {a.dtype}{a.shape}, not {w.dtype}{w.shape}"
        if a.dtype.kind == "f":
            a, w = a.astype("f8"), w.astype("f8")
            scale = float(cupy.abs(w[cupy.isfinite(w)]).max()) if bool(cupy.isfinite(w).any()) else 1.0
            same = (a == w) | (cupy.isnan(a) & cupy.isnan(w)) | (cupy.abs(a - w) <= TOLERANCE[str(listed(actual)[0].dtype)] * max(scale, 1e-30))
            assert bool(same.all()), f"{what}: {int((~same).sum())} of {same.size} elements of {tensor['name']} differ"
        else:
            assert float((a != w).mean()) < 1e-3, f"{what}: {tensor['name']} differs"


def test_values():
    tried = 0
    positions = any(t["hi"] is not None and not t["dtype"].startswith("f") for t in PLAN.inputs)  # drawn for the plan's own sizes
    changes = [lambda n: n + 3, *([lambda n: 2 * n] if positions else [lambda n: max(1, n // 2), lambda n: max(1, n - 1)])]
    for sizes in [*(case for _, case in TABLE.cases()), *({s: change(n) for s, n in PLAN.data["sizes"].items()} for change in changes)]:
        try:
            arguments = inputs_of(sizes)
            wanted = reference(*arguments)
        except (PlanError, RuntimeError, NotImplementedError, ImportError) as e:  # sizes that the op does not take, or no reference
            print(f"  not tried: {sizes}: {e}")
            continue
        agree({{function}}(*arguments), wanted, f"sizes {sizes}")
        tried += 1
    if not tried:
        {{function}}(*inputs_of(PLAN.data["sizes"]))
        print("  there is nothing to compare with")


def test_dispatch():
    """Each kernel runs the sizes for which it was explored."""
    for number, case in TABLE.cases():
        chosen = TABLE.choice([case[s] for s in PLAN.symbols])
        assert chosen and chosen[0] == number, f"sizes {case}"


def test_streams():
    arguments = inputs_of(PLAN.data["sizes"])
    wanted = {{function}}(*arguments)
    cupy.cuda.Device().synchronize()
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        made = {{function}}(*arguments)
    stream.synchronize()
    agree(made, wanted, "another stream")


def test_views():
    arguments, moved = inputs_of(PLAN.data["sizes"]), []
    for a in arguments:
        if isinstance(a, cupy.ndarray):
            longer = cupy.empty(a.size + 1, dtype=a.dtype)
            longer[1:] = a.ravel()
            a = longer[1:].reshape(a.shape)
        moved.append(a)
    agree({{function}}(*moved), {{function}}(*arguments), "views that are not aligned")


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

    if first.ndim:
        fails([first[None], *arguments[1:]], "dimensions")
    fails([first.astype("complex64"), *arguments[1:]], "must be")
    fails([first.get(), *arguments[1:]], "cupy.ndarray")
    if first.ndim > 1 and first.shape[0] > 1 and first.shape[-1] > 1:
        fails([cupy.asfortranarray(first), *arguments[1:]], "contiguous")
    count, seen = len(PLAN.inputs), set()
    for i, tensor in enumerate(PLAN.inputs):
        for axis, text in enumerate(tensor["shape"]):
            if text in seen or "v_" not in text:  # a size that another dimension tells, or a number
                shape = list(arguments[i].shape)
                shape[axis] += 1
                fails([*arguments[:i], cupy.zeros(shape, dtype=arguments[i].dtype), *arguments[i + 1:]], "dimension ")
            seen.add(text)
    for device in range(1, cupy.cuda.runtime.getDeviceCount()):
        for i in range(count if count > 1 else 0):
            with cupy.cuda.Device(device):
                moved = cupy.asarray(arguments[i].get())
            fails([*arguments[:i], moved, *arguments[i + 1:]], "different devices")


def test_devices():
    """Every device takes its own arrays, whichever is the current one."""
    arguments = inputs_of(PLAN.data["sizes"])
    wanted = {{function}}(*arguments)
    count = cupy.cuda.runtime.getDeviceCount()
    for device in range(1, count):
        with cupy.cuda.Device(device):
            moved = [cupy.asarray(a.get()) if isinstance(a, cupy.ndarray) else a for a in arguments]
            cupy.cuda.Device().synchronize()
        made = {{function}}(*moved)
        assert all(m.device.id == device for m in listed(made)), f"an output is not on device {device}"
        agree([cupy.asarray(m.get()) for m in listed(made)], wanted, f"device {device}")
    print(f"  devices: {count}")


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
