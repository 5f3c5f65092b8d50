# SPDX-License-Identifier: Apache-2.0
"""{{op}} as a PyTorch operator, from candidate {{candidate}} of Warpwright.

    from {{package}} import {{function}}

It runs on the current stream, under torch.compile and in CUDA graphs. What the kernel does not claim runs as PyTorch's own reference; what
does not fit the op raises an error. It has no backward."""
import math
import pathlib

import torch

from .launch import DTYPES, Launcher, PlanError
from .plan import Plan

_FOLDER = pathlib.Path(__file__).parent
PLAN = Plan.load(_FOLDER / "plan.json")
_LAUNCHER = Launcher(PLAN, (_FOLDER / "kernel.ptx").read_bytes())
_COUNT = len(PLAN.inputs)
_NAMES = tuple(t["name"] for t in PLAN.inputs)
_TYPES = tuple(DTYPES[t["dtype"]] for t in PLAN.inputs)
_SCHEMA = "(" + ", ".join([f"Tensor {t['name']}" for t in PLAN.inputs] + [f"SymInt {s}" for s in PLAN.free]) + ") -> " + \
    ("Tensor" if len(PLAN.outputs) == 1 else "(" + ", ".join(["Tensor"] * len(PLAN.outputs)) + ")")


def _bound(tensors, free):
    for tensor, info, dtype in zip(tensors, PLAN.inputs, _TYPES):
        if tensor.dtype is not dtype:
            raise PlanError(f"{PLAN.op}: {info['name']} must be {dtype}, not {tensor.dtype}")
        if tensor.device != tensors[0].device:
            raise PlanError(f"{PLAN.op}: the tensors are on different devices: {tensors[0].device} and {tensor.device}")
    return PLAN.bind([tensor.shape for tensor in tensors], free)


def expression(sizes):
    """The op in PyTorch as a function of the inputs, in the inputs' own types."""
    text = PLAN.data["reference"]
    if not text:
        raise NotImplementedError(f"{PLAN.op}: the kernel does not claim this shape, and the op has no PyTorch form")
    names = [*PLAN.symbols, *(c["name"] for c in PLAN.data["constants"])]
    known = {"torch": torch, "F": torch.nn.functional, "math": math, **dict(zip(names, sizes))}
    return eval(f"lambda {', '.join(t['name'] for t in PLAN.inputs)}: ({text})", known)


def reference(*arguments):
    """The same with the operator's own outputs: their shapes, types and memory."""
    sizes = _bound(arguments[:_COUNT], arguments[_COUNT:])
    results = expression(sizes)(*arguments[:_COUNT])
    results = results if isinstance(results, (tuple, list)) else [results]
    made = []
    for result, tensor in zip(results, PLAN.outputs):
        fresh = torch.empty(PLAN.shape(tensor, sizes), dtype=DTYPES[tensor["dtype"]], device=arguments[0].device)
        made.append(fresh.copy_(result.reshape(fresh.shape)))
    return made[0] if len(made) == 1 else tuple(made)


def _prepared(arguments, key):
    """What this thread keeps for these shapes; None where the kernel does not claim them."""
    tensors, free = arguments[:_COUNT], arguments[_COUNT:]
    if tensors[0].device.type != "cuda":
        raise PlanError(f"{PLAN.op}: the tensors must be on a CUDA device, not on {tensors[0].device}")
    sizes = _bound(tensors, free)
    if 0 in (n for t in (*PLAN.inputs, *PLAN.outputs) for n in PLAN.shape(t, sizes)) or not PLAN.claims(sizes):
        return None
    return _LAUNCHER.prepare(tensors[0].device, key, sizes)


def _run(*arguments):
    tensors = arguments[:_COUNT]
    index = tensors[0].get_device()  # -1: not on a GPU
    key = (index, *[t.shape for t in tensors], *arguments[_COUNT:])
    prepared = _LAUNCHER.known().get(key)
    if prepared is None:
        prepared = _prepared(arguments, key)
        if prepared is None:
            return reference(*arguments)
    addresses, held = prepared.addresses, None
    for tensor, dtype, name in zip(tensors, _TYPES, _NAMES):
        if tensor.dtype is not dtype or tensor.get_device() != index:
            _bound(tensors, arguments[_COUNT:])  # says what is wrong
        if not tensor.is_contiguous():
            raise PlanError(f"{PLAN.op}: {name} must be contiguous; call .contiguous() on it")
        address = tensor.data_ptr()
        if address % 16:  # a view into the middle of a tensor; vector loads need more
            held = (held, tensor.clone())  # until the launch: its memory must not become an output's
            address = held[1].data_ptr()
        addresses[name] = address
    return prepared.run(index)


def _fake(*arguments):
    sizes = _bound(arguments[:_COUNT], arguments[_COUNT:])
    made = [torch.empty(PLAN.shape(t, sizes), dtype=DTYPES[t["dtype"]], device=arguments[0].device) for t in PLAN.outputs]
    return made[0] if len(made) == 1 else tuple(made)


def _registered(name):
    """The operator. By hand, since what torch.library.custom_op adds to each call takes longer than all that this one does."""
    if not hasattr(torch.ops.warpwright, name):  # else another copy of this package has it
        library = _run.library = torch.library.Library("warpwright", "FRAGMENT")  # alive as long as the operator
        library.define(name + _SCHEMA)
        library.impl(name, _run, "CompositeExplicitAutograd")
        torch.library.register_fake(f"warpwright::{name}", _fake, lib=library)
    return getattr(torch.ops.warpwright, name).default


OPERATOR = _registered("{{op}}_{{candidate}}")


class _Differentiated(torch.autograd.Function):
    @staticmethod
    def forward(_, *arguments):
        return OPERATOR(*arguments)

    @staticmethod
    def backward(*_):
        raise RuntimeError(f"{PLAN.op}: this operator has no backward")


def {{function}}(*arguments):
    if torch.is_grad_enabled():
        for tensor in arguments[:_COUNT]:
            if getattr(tensor, "requires_grad", False):
                return _Differentiated.apply(*arguments)
    return OPERATOR(*arguments)
