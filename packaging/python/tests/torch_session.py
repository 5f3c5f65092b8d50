# SPDX-License-Identifier: Apache-2.0
"""A script whose functions and modules are optimized. Usage: torch_session.py WORKSPACE, in a Python with PyTorch.
With a GPU, what the kernels compute is compared; without one, that the originals run in their place."""

import sys

import torch
import warpwright

OPTIONS = {"budget": 2, "seeds": 1, "workers": 1, "workspace": sys.argv[1]}
GPU = torch.cuda.is_available()
SLOPE = 0.25


def leaky(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x, SLOPE * x)


@warpwright.optimize(**OPTIONS)
def shifted(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Adds."""
    return leaky(x) + y


class Scaled(torch.nn.Module):
    def __init__(self, size: int) -> None:
        super().__init__()
        self.scale = torch.nn.Parameter(torch.arange(float(size)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x) * self.scale


class Shifted(torch.nn.Module):
    """With a tensor that is a plain attribute, and a constant."""

    def __init__(self) -> None:
        super().__init__()
        self.shift = torch.arange(8.0)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], device=x.device) + self.shift


def refused(wanted: type[Exception], sentence: str, call) -> None:  # type: ignore[no-untyped-def]
    try:
        call()
    except wanted as e:
        assert sentence in str(e), e
        return
    raise AssertionError(f"{wanted.__name__} was not raised")


x, y = torch.randn(4, 8), torch.randn(4, 8)

# On the CPU the original runs, and nothing is explored.
assert shifted.__name__ == "shifted" and shifted.__doc__ == "Adds."
assert torch.equal(shifted(x, y), leaky(x) + y)
assert shifted.kernel is None and "GPU" in shifted.why_not, shifted.why_not
assert torch.equal(shifted(x, y=y), leaky(x) + y) and "name" in shifted.why_not

# It is imported, proved and explored for tensors wherever they are.
k = shifted.prepare(x, y)
assert k.verdict and k.candidate.accepted and [t.dtype for t in k.description.spec.inputs] == ["f32", "f32"]
assert k.plan.claims(k.plan.bind([(4, 8), (4, 8)])), k.plan.data
assert shifted.prepare(x, y) is k
assert torch.equal(shifted(x, y), leaky(x) + y)

# At once, for inputs that are named.
half = warpwright.optimize(leaky, inputs=["f16[4, 8]"], **OPTIONS)
assert half.kernel and half.kernel.description.spec.inputs[0].dtype == "f16", half.kernel

# A module, with its parameters.
scaled = warpwright.optimize(Scaled(8), **OPTIONS)
scaled.prepare(x)
assert torch.equal(scaled(x), scaled.original(x))

# Attributes are taken from the module, constants are in the kernel's plan.
constant = warpwright.optimize(Shifted(), **OPTIONS)
k = constant.prepare(x)
assert [t.name for t in k.description.spec.taken] == ["x", "shift"], k.description.spec.text
assert [t["name"] for t in k.plan.fixed] == ["constant"], k.plan.data
assert torch.equal(constant(x), constant.original(x))

# What cannot be imported says why.
held = torch.ones(8)


def holding(x: torch.Tensor) -> torch.Tensor:
    return x + held


def sorting(x: torch.Tensor) -> torch.Tensor:
    return torch.sort(x).values


refused(
    warpwright.CannotImport, "holding uses 'held'", lambda: warpwright.optimize(holding, inputs=["f32[8]"], **OPTIONS)
)
refused(
    warpwright.Missing,
    "sorting cannot be written as index equations",
    lambda: warpwright.optimize(sorting, inputs=["f32[8]"], **OPTIONS),
)

if GPU:
    xg, yg = x.cuda(), y.cuda()
    assert torch.allclose(shifted(xg, yg), leaky(xg) + yg) and shifted.why_not == "", shifted.why_not
    for other in (xg.double(), xg[0], torch.randn(8, 4, device="cuda").t(), xg.clone().requires_grad_()):
        assert torch.equal(shifted(other, yg), leaky(other) + yg) and shifted.why_not
    softmax = warpwright.kernel("softmax over the rows", xg, device="simt", **OPTIONS)
    assert softmax.missing == "" and torch.allclose(softmax(xg), torch.softmax(xg, -1), atol=1e-6)
    with torch.no_grad():
        moved = warpwright.optimize(Scaled(8).cuda(), **OPTIONS)
        assert torch.allclose(moved(xg), moved.original(xg)) and moved.why_not == "", moved.why_not
        on_gpu = Shifted()
        on_gpu.shift = on_gpu.shift.cuda()
        fixed = warpwright.optimize(on_gpu, **OPTIONS)
        assert torch.allclose(fixed(xg), on_gpu(xg)) and fixed.why_not == "", fixed.why_not
print("functions and modules, on a GPU" if GPU else "functions and modules, without a GPU")
