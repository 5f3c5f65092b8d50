# SPDX-License-Identifier: Apache-2.0
"""Random inputs of a size, from the domain of the op's spec: for the test and the benchmark."""
import torch

from . import PLAN
from .launch import DTYPES


def distinct(shape, dtype, lo, hi, positive, generator, device):
    """No value twice in a row, while the type has enough of them."""
    n = shape[-1]
    count = n if lo is None or dtype.is_floating_point else int(hi) - int(lo)
    rank = torch.rand((*shape[:-1], count), generator=generator, device=device).argsort(-1)[..., :n]
    if not dtype.is_floating_point:
        return (rank + (int(lo) if lo is not None else 1 if positive else -(n // 2))).to(dtype)
    if lo is not None:
        return (lo + (hi - lo) * (rank.double() + 0.5) / n).to(dtype)
    return ((rank + 1 if positive else rank - n // 2) * 2.0 ** -8).to(dtype)


def kept(x, rules):
    """Positive and in order, where the op says so."""
    if "positive" in rules:
        x = torch.where(x == 0, torch.ones_like(x), x.abs())
    return x.sort(-1).values if "sorted" in rules else x


def inputs_of(symbols, device="cuda", seed=0):
    sizes = PLAN.checked([symbols[s] for s in PLAN.symbols])
    generator = torch.Generator(device=device).manual_seed(seed)
    made = []
    for tensor in PLAN.inputs:
        shape, dtype, lo, hi = PLAN.shape(tensor, sizes), DTYPES[tensor["dtype"]], tensor["lo"], tensor["hi"]
        rules = tensor.get("rules", [])
        if "distinct" in rules or "permutation" in rules:
            made.append(distinct(shape, dtype, lo, hi, "positive" in rules, generator, device))
        elif dtype.is_floating_point and lo is None:
            made.append(torch.randn(shape, generator=generator, device=device, dtype=torch.float64).to(dtype))
        elif dtype.is_floating_point:
            made.append((torch.rand(shape, generator=generator, device=device, dtype=torch.float64) * (hi - lo) + lo).to(dtype))
        else:
            low, high = (lo, hi) if lo is not None else (0, 2) if dtype is torch.bool else (0, 16) if dtype is torch.uint8 else (-8, 8)
            made.append(torch.randint(int(low), max(int(low) + 1, int(high)), shape, generator=generator, device=device).to(dtype))
        made[-1] = kept(made[-1], rules)
    return [*made, *(symbols[s] for s in PLAN.free)]
