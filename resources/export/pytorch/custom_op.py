# SPDX-License-Identifier: Apache-2.0
"""Kernels of one op, by their launch plans and PTX, as an operator of torch.ops.warpwright, and the operator that gives its gradients."""
import math

import torch
from torch.autograd.function import once_differentiable

from .dispatch import Table
from .launch import DTYPES, Launcher, PlanError


def listed(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


def alone(results):
    return results[0] if len(results) == 1 else tuple(results)


class Operator:
    """`raw` is the operator as the kernel computes it. `differentiable` is the same for autograd, registered by differentiated_by()."""

    def __init__(self, folder, name, reference=None):
        self.table = Table(folder)
        self.plan = self.table.plans[0]
        self.launchers = [Launcher(plan, (own / "kernel.ptx").read_bytes()) for plan, own in zip(self.table.plans, self.table.folders)]
        self.launcher = self.launchers[0]  # it keeps what each shape needs, for all of them
        self.count = len(self.plan.inputs)
        self.names = tuple(t["name"] for t in self.plan.inputs)
        self.types = tuple(DTYPES[t["dtype"]] for t in self.plan.inputs)
        self.reference = reference or self.expressed
        self.libraries = []  # alive as long as the operators
        self.raw = self._registered(name)
        self.differentiable = self.gradients = None

    def bound(self, tensors, free):
        for tensor, name, dtype in zip(tensors, self.names, self.types):
            if tensor.dtype is not dtype:
                raise PlanError(f"{self.plan.op}: {name} must be {dtype}, not {tensor.dtype}")
            if tensor.device != tensors[0].device:
                raise PlanError(f"{self.plan.op}: the tensors are on different devices: {tensors[0].device} and {tensor.device}")
        return self.plan.bind([tensor.shape for tensor in tensors], free)

    def expression(self, sizes):
        """The op in PyTorch as a function of the inputs, in the inputs' own types."""
        text = self.plan.data["reference"]
        if not text:
            raise NotImplementedError(f"{self.plan.op}: the kernel does not claim this shape, and the op has no PyTorch form")
        names = [*self.plan.symbols, *(c["name"] for c in self.plan.data["constants"])]
        known = {"torch": torch, "F": torch.nn.functional, "math": math, **dict(zip(names, sizes))}
        return eval(f"lambda {', '.join(self.names)}: ({text})", known)

    def expressed(self, *arguments):
        """The expression with the operator's own outputs: their shapes, types and memory."""
        sizes = self.bound(arguments[:self.count], arguments[self.count:])
        made = self._outputs(arguments, sizes)
        for tensor, result in zip(made, listed(self.expression(sizes)(*arguments[:self.count]))):
            tensor.copy_(result.reshape(tensor.shape))
        return alone(made)

    def _outputs(self, arguments, sizes):
        return [torch.empty(self.plan.shape(t, sizes), dtype=DTYPES[t["dtype"]], device=arguments[0].device) for t in self.plan.outputs]

    def _fake(self, *arguments):
        return alone(self._outputs(arguments, self.bound(arguments[:self.count], arguments[self.count:])))

    def _prepared(self, arguments, key):
        """What this thread keeps for these shapes; None where no kernel claims them."""
        tensors, free = arguments[:self.count], arguments[self.count:]
        sizes = self.bound(tensors, free)
        if tensors[0].device.type != "cuda":
            raise PlanError(f"{self.plan.op}: the tensors must be on a CUDA device, not on {tensors[0].device}")
        if 0 in (n for t in (*self.plan.inputs, *self.plan.outputs) for n in self.plan.shape(t, sizes)):
            return None
        chosen = self.table.choice(sizes[:len(self.plan.symbols)])
        return chosen and self.launchers[chosen[0]].prepare(tensors[0].device, key, chosen[1], self.launcher.known())

    def _run(self, *arguments):
        tensors = arguments[:self.count]
        index = tensors[0].get_device()  # -1: not on a GPU
        key = (index, *[t.shape for t in tensors], *arguments[self.count:])
        prepared = self.launcher.known().get(key)
        if prepared is None:
            prepared = self._prepared(arguments, key)
            if prepared is None:
                return self.reference(*arguments)
        addresses, held = prepared.addresses, None
        for tensor, dtype, name in zip(tensors, self.types, self.names):
            if tensor.dtype is not dtype or tensor.get_device() != index:
                self.bound(tensors, arguments[self.count:])  # says what is wrong
            if not tensor.is_contiguous():
                raise PlanError(f"{self.plan.op}: {name} must be contiguous; call .contiguous() on it")
            address = tensor.data_ptr()
            if address % 16:  # a view into the middle of a tensor; vector loads need more
                held = (held, tensor.clone())  # until the launch: its memory must not become an output's
                address = held[1].data_ptr()
            addresses[name] = address
        return prepared.run(index)

    def _registered(self, name):
        """By hand, since what torch.library.custom_op adds to each call takes longer than all that this one does."""
        if not hasattr(torch.ops.warpwright, name):  # else another copy of this package has it
            plan, tensors = self.plan, ["Tensor"] * len(self.plan.outputs)
            library = torch.library.Library("warpwright", "FRAGMENT")
            library.define(f"{name}({', '.join([f'Tensor {n}' for n in self.names] + [f'SymInt {s}' for s in plan.free])}) -> " +
                           (tensors[0] if len(tensors) == 1 else f"({', '.join(tensors)})"))
            library.impl(name, self._run, "CompositeExplicitAutograd")
            torch.library.register_fake(f"warpwright::{name}", self._fake, lib=library)
            self.libraries.append(library)
        return getattr(torch.ops.warpwright, name).default

    def differentiated_by(self, backward, name):
        """Registers for autograd: with the operator `backward`, whose plan says which of its inputs and outputs are gradients of what; with
        None, asking for a gradient raises an error."""
        self.gradients = backward
        new = not hasattr(torch.ops.warpwright, name)
        self.differentiable = self._registered(name)
        if new:
            torch.library.register_autograd(f"warpwright::{name}", once_differentiable(self._backward), setup_context=self._keep, lib=self.libraries[-1])

    def _keep(self, ctx, inputs, output):
        if self.gradients is None:
            return
        given = dict(zip(self.names, inputs))
        ctx.save_for_backward(*(given[name] for name in self.gradients.names if name in given))
        ctx.sizes = ()
        if self.gradients.plan.free:
            sizes = dict(zip(self.plan.symbols, self.bound(inputs[:self.count], inputs[self.count:])))
            ctx.sizes = tuple(sizes[s] for s in self.gradients.plan.free)

    def _backward(self, ctx, *incoming):
        backward = self.gradients
        if backward is None:
            raise RuntimeError(f"{self.plan.op}: this operator has no backward")
        to, of = backward.plan.data["gradient_inputs"], backward.plan.data["gradient_outputs"]
        given = {to[t["name"]]: gradient for t, gradient in zip(self.plan.outputs, incoming) if t["name"] in to}
        given.update(zip((name for name in self.names if name in backward.names), ctx.saved_tensors))
        results = listed(backward.raw(*(given[name].contiguous() for name in backward.names), *ctx.sizes))
        made = dict(zip((t["name"] for t in backward.plan.outputs), results))
        for name, wanted in zip(self.names, ctx.needs_input_grad):
            if wanted and name not in of:
                raise RuntimeError(f"{self.plan.op}: the backward of this operator gives no gradient of {name}")
        return tuple(made[of[name]] if name in of else None for name in self.names) + (None,) * len(self.plan.free)


def gradient_by_autograd(forward, backward):
    """The reference of the operator `backward`: autograd through the expression of `forward`."""
    def reference(*arguments):
        plan = backward.plan
        sizes = dict(zip(plan.symbols, backward.bound(arguments[:backward.count], arguments[backward.count:])))
        bound = forward.plan.checked([sizes.get(s) for s in forward.plan.symbols])
        to, of, given = plan.data["gradient_inputs"], plan.data["gradient_outputs"], dict(zip(backward.names, arguments))
        inputs, device = [], arguments[0].device
        for info, dtype in zip(forward.plan.inputs, forward.types):
            tensor = given.get(info["name"])
            if tensor is None:  # its values do not matter to the gradients
                tensor = torch.zeros(forward.plan.shape(info, bound), dtype=dtype, device=device)
            inputs.append(tensor.detach().requires_grad_(info["name"] in of))
        with torch.enable_grad():
            results = [(r, given[to[t["name"]]]) for r, t in zip(listed(forward.expression(bound)(*inputs)), forward.plan.outputs) if t["name"] in to]
        leaves = [t for t, name in zip(inputs, forward.names) if name in of]
        found = torch.autograd.grad([r for r, _ in results], leaves, [g.reshape(r.shape).to(r.dtype) for r, g in results], allow_unused=True)
        made = dict(zip((of[name] for name in forward.names if name in of), (torch.zeros_like(x) if g is None else g for g, x in zip(found, leaves))))
        return alone([made[t["name"]].contiguous() for t in plan.outputs])
    return reference
