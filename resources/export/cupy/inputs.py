# SPDX-License-Identifier: Apache-2.0
"""Random inputs of a size, from the domain of the op's spec: for the test and the benchmark."""
import cupy

from . import DTYPES, PLAN


def distinct(shape, dtype, lo, hi, positive, random):
    """No value twice in a row, while the type has enough of them."""
    n = shape[-1]
    is_real = cupy.dtype(dtype).kind == "f"
    rank = random.random((*shape[:-1], n if lo is None or is_real else int(hi) - int(lo))).argsort(-1)[..., :n]
    if not is_real:
        return (rank + (int(lo) if lo is not None else 1 if positive else -(n // 2))).astype(dtype)
    return (lo + (hi - lo) * (rank + 0.5) / n if lo is not None else (rank + 1 if positive else rank - n // 2) * 2.0 ** -8).astype(dtype)


def inputs_of(symbols, seed=0):
    sizes, random, made = PLAN.checked([symbols[s] for s in PLAN.symbols]), cupy.random.RandomState(seed), []
    for tensor in PLAN.inputs:
        shape, dtype, lo, hi, rules = PLAN.shape(tensor, sizes), DTYPES[tensor["dtype"]], tensor["lo"], tensor["hi"], tensor.get("rules", [])
        kind = cupy.dtype(dtype).kind
        if "distinct" in rules or "permutation" in rules:
            x = distinct(shape, dtype, lo, hi, "positive" in rules, random)
        elif kind == "f":
            x = random.standard_normal(shape) if lo is None else random.random(shape) * (hi - lo) + lo
        else:
            low, high = (lo, hi) if lo is not None else (0, 2) if kind == "b" else (0, 16) if kind == "u" else (-8, 8)
            x = random.randint(int(low), max(int(low) + 1, int(high)), shape)
        x = cupy.ascontiguousarray(cupy.asarray(x).astype(dtype)).reshape(shape)
        if "positive" in rules:
            x = cupy.where(x == 0, cupy.ones_like(x), cupy.abs(x))
        made.append(cupy.sort(x, axis=-1) if "sorted" in rules else x)
    return [*made, *(symbols[s] for s in PLAN.free)]
