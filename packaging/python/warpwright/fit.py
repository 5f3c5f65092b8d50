# SPDX-License-Identifier: Apache-2.0
"""Whether tensors fit a spec's inputs, and the sizes that they give its symbols."""

from __future__ import annotations

from typing import Any, Sequence

from .errors import DoesNotFit
from .records import Spec, Tensor

# A type as the spec names it, by the name that PyTorch, NumPy and others give it.
DTYPES = {
    "float64": "f64",
    "float32": "f32",
    "float16": "f16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int8": "i8",
    "uint8": "u8",
    "bool": "bool",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}


def dtype(tensor: Any) -> str:
    """The tensor's type as a spec names it; its own name where specs have none."""
    name = str(tensor.dtype).split(".")[-1]
    return DTYPES.get(name, name)


def sizes(spec: Spec, tensors: Sequence[Any]) -> dict[str, int]:
    """The spec's symbols as the tensors' shapes give them. DoesNotFit where a tensor is not what the spec takes."""
    if len(tensors) != len(spec.taken):
        wanted = ", ".join(str(t) for t in spec.taken)
        raise DoesNotFit(f"{spec.name} takes {wanted}: {len(spec.taken)} tensors, not {len(tensors)}")
    known: dict[str, int] = {}
    for wanted_tensor, tensor in zip(spec.taken, tensors):
        _bind(spec, wanted_tensor, tensor, known)
    return known


def _bind(spec: Spec, wanted: Tensor, tensor: Any, known: dict[str, int]) -> None:
    if not hasattr(tensor, "shape") or not hasattr(tensor, "dtype"):
        raise DoesNotFit(f"{spec.name} takes {wanted}, not a value of type {type(tensor).__name__}")
    shape = tuple(int(n) for n in tensor.shape)
    if dtype(tensor) != wanted.dtype:
        raise DoesNotFit(f"{spec.name} takes {wanted}, not a tensor of {dtype(tensor)}")
    if len(shape) != len(wanted.shape):
        raise DoesNotFit(f"{spec.name} takes {wanted}, not a tensor of {len(shape)} dimensions")
    for axis, (text, size) in enumerate(zip(wanted.shape, shape)):
        if text in spec.symbols:
            if known.setdefault(text, size) != size:
                raise DoesNotFit(
                    f"{spec.name} takes {wanted}: {text} is {known[text]}, "
                    f"but dimension {axis} of {wanted.name} is {size}"
                )
        elif text.isdecimal() and int(text) != size:
            raise DoesNotFit(f"{spec.name} takes {wanted}, but dimension {axis} of {wanted.name} is {size}")


def device(tensors: Sequence[Any]) -> str:
    """The device of the first tensor as --device names it: a CUDA device, else simt."""
    for tensor in tensors:
        at = getattr(tensor, "device", None)
        if getattr(at, "type", None) == "cuda":
            return f"cuda:{at.index or 0}"  # type: ignore[union-attr]
    return "simt"
