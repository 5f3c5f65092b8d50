# SPDX-License-Identifier: Apache-2.0
"""{{op}} for CuPy, from {{candidates}} of Warpwright.

    from {{package}} import {{function}}

It runs on the current stream of the arrays' device. What does not fit the op, or is not claimed by the kernel while PyTorch is missing, raises an
error."""
import math
import pathlib

import cupy
import numpy

from .dispatch import Table
from .plan import PlanError

TABLE = Table(pathlib.Path(__file__).parent)
PLAN = TABLE.plans[0]
DTYPES = {"f64": numpy.float64, "f32": numpy.float32, "f16": numpy.float16, "i64": numpy.int64, "i32": numpy.int32, "i8": numpy.int8, "u8": numpy.uint8,
          "u16": numpy.uint16, "u32": numpy.uint32, "u64": numpy.uint64, "bool": numpy.bool_}
_missing = {t["dtype"] for p in TABLE.plans for t in (*p.inputs, *p.fixed, *p.outputs, *p.temporaries)} - set(DTYPES)
if _missing:
    raise ImportError(f"CuPy has no arrays of {', '.join(sorted(_missing))}")
_MODULES = {}  # by device and number of the kernel
_FIXED = {}  # inputs whose values the plan has, by device
_PREPARED = {}  # by device and shapes


class _Bytes:
    """An argument by its bytes, as CuPy passes NumPy scalars."""

    def __new__(cls, value):
        return numpy.frombuffer(value, dtype={1: numpy.uint8, 2: numpy.uint16, 4: numpy.uint32, 8: numpy.uint64}[len(value)])[0]


def _bound(arrays, free):
    for array, info in zip(arrays, PLAN.inputs):
        if not isinstance(array, cupy.ndarray):
            raise PlanError(f"{PLAN.op}: {info['name']} must be a cupy.ndarray, not {type(array).__name__}")
        if array.dtype != DTYPES[info["dtype"]]:
            raise PlanError(f"{PLAN.op}: {info['name']} must be {numpy.dtype(DTYPES[info['dtype']])}, not {array.dtype}")
        if array.device != arrays[0].device:
            raise PlanError(f"{PLAN.op}: the arrays are on different devices: {arrays[0].device.id} and {array.device.id}")
        if not array.flags.c_contiguous:
            raise PlanError(f"{PLAN.op}: {info['name']} must be contiguous; call cupy.ascontiguousarray() on it")
    return PLAN.bind([array.shape for array in arrays], free)


def _module(device, kernel):
    plan = TABLE.plans[kernel]
    if (device.id, kernel) not in _MODULES:
        wanted, have = plan.data["architecture"], device.compute_capability
        number = int(wanted[3:].rstrip("af"))
        if not (int(have) == number if wanted[-1] == "a" else int(have) >= number):
            raise RuntimeError(f"this kernel is for {wanted}; the device has compute capability {have}")
        cooperative = any(launch["cooperative"] for launch in plan.data["launches"])
        _MODULES[device.id, kernel] = cupy.RawModule(path=str(TABLE.folders[kernel] / "kernel.ptx"), enable_cooperative_groups=cooperative)
    return _MODULES[device.id, kernel]


def _fixed(device):
    if device.id not in _FIXED:
        _FIXED[device.id] = {t["name"]: cupy.asarray(numpy.frombuffer(PLAN.bytes_of(t), dtype=DTYPES[t["dtype"]])) for t in PLAN.fixed}
    return _FIXED[device.id]


def _prepare(device, sizes):
    if 0 in (n for t in (*PLAN.inputs, *PLAN.outputs) for n in PLAN.shape(t, sizes)):
        return None
    chosen = TABLE.choice(sizes[:len(PLAN.symbols)])
    if chosen is None:
        return None
    kernel, sizes = chosen
    plan, launches = TABLE.plans[kernel], []
    for planned in plan.launches(sizes):
        if any(n != 1 for n in planned["cluster"]):
            raise RuntimeError("CuPy cannot launch kernels with clusters")
        function = _module(device, kernel).get_function(planned["kernel"])
        if planned["shared"] > 48 * 1024:
            function.max_dynamic_shared_size_bytes = planned["shared"]
        if planned["carveout"] >= 0:
            function.preferred_shared_memory_carveout = planned["carveout"]
        arguments = [(kind, what if kind == "tensor" else _Bytes(what)) for kind, what in planned["arguments"]]
        launches.append((function, tuple(planned["grid"]), tuple(planned["block"]), planned["shared"], arguments))

    def makers(tensors):
        return [(t["name"], cupy.zeros if t["name"] in plan.data["zeroed"] else cupy.empty, plan.shape(t, sizes), DTYPES[t["dtype"]]) for t in tensors]
    return launches, makers(plan.outputs), makers(plan.temporaries), _fixed(device)


def reference(*arguments):
    """The op by PyTorch, through DLPack."""
    import torch
    arrays = arguments[:len(PLAN.inputs)]
    sizes = _bound(arrays, arguments[len(PLAN.inputs):])
    if not PLAN.data["reference"]:
        raise NotImplementedError(f"{PLAN.op}: the kernel does not claim this shape, and the op has no PyTorch form")
    names = [*PLAN.symbols, *(c["name"] for c in PLAN.data["constants"])]
    known = {"torch": torch, "F": torch.nn.functional, "math": math, **dict(zip(names, sizes))}
    function = eval(f"lambda {', '.join(t['name'] for t in PLAN.inputs)}: ({PLAN.data['reference']})", known)
    made = function(*(torch.from_dlpack(a) for a in arrays))
    made = made if isinstance(made, (tuple, list)) else [made]
    torch.cuda.current_stream().synchronize()
    results = [cupy.from_dlpack(r.contiguous()).astype(DTYPES[t["dtype"]], copy=False).reshape(PLAN.shape(t, sizes)) for r, t in zip(made, PLAN.outputs)]
    return results[0] if len(results) == 1 else tuple(results)


def {{function}}(*arguments):
    arrays = arguments[:len(PLAN.inputs)]
    if len(arguments) != len(PLAN.inputs) + len(PLAN.free):
        wanted = [t["name"] for t in PLAN.inputs] + PLAN.free
        raise PlanError(f"{PLAN.op} takes {', '.join(wanted)}, not {len(arguments)} arguments")
    sizes = _bound(arrays, arguments[len(PLAN.inputs):])
    device = arrays[0].device
    key = (device.id, *sizes)
    with device:
        if key not in _PREPARED:
            if len(_PREPARED) >= 256:  # shapes that never come again
                _PREPARED.clear()
            _PREPARED[key] = _prepare(device, sizes)
        if _PREPARED[key] is None:
            return reference(*arguments)
        launches, outputs, temporaries, fixed = _PREPARED[key]
        held = {t["name"]: a if a.data.ptr % 16 == 0 else a.copy() for t, a in zip(PLAN.inputs, arrays)}  # vector loads need aligned rows
        held.update(fixed)
        made = [make(shape, dtype=dtype) for _, make, shape, dtype in outputs]
        held.update((name, array) for (name, *_), array in zip(outputs, made))
        held.update((name, make(shape, dtype=dtype)) for name, make, shape, dtype in temporaries)
        for function, grid, block, shared, kinds in launches:
            function(grid, block, tuple(held[what] if kind == "tensor" else what for kind, what in kinds), shared_mem=shared)
    return made[0] if len(made) == 1 else tuple(made)
