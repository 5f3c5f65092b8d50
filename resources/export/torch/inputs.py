# SPDX-License-Identifier: Apache-2.0
"""Random inputs of a size, from the domain of the op's spec: for the test and the benchmark."""
import torch

from . import PLAN
from .launch import DTYPES


def inputs_of(symbols, device="cuda", seed=0):
    sizes = PLAN.checked([symbols[s] for s in PLAN.symbols])
    generator = torch.Generator(device=device).manual_seed(seed)
    made = []
    for tensor in PLAN.inputs:
        shape, dtype, lo, hi = PLAN.shape(tensor, sizes), DTYPES[tensor["dtype"]], tensor["lo"], tensor["hi"]
        if dtype.is_floating_point and lo is None:
            made.append(torch.randn(shape, generator=generator, device=device, dtype=torch.float64).to(dtype))
        elif dtype.is_floating_point:
            made.append((torch.rand(shape, generator=generator, device=device, dtype=torch.float64) * (hi - lo) + lo).to(dtype))
        else:
            low, high = (lo, hi) if lo is not None else (0, 2) if dtype is torch.bool else (0, 16) if dtype is torch.uint8 else (-8, 8)
            made.append(torch.randint(int(low), max(int(low) + 1, int(high)), shape, generator=generator, device=device).to(dtype))
    return [*made, *(symbols[s] for s in PLAN.free)]
