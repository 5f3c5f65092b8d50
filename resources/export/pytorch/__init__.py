# SPDX-License-Identifier: Apache-2.0
"""{{op}} as a PyTorch operator, from {{candidates}} of Warpwright.

    from {{package}} import {{function}}

It runs on the current stream, under torch.compile and in CUDA graphs. What the kernel does not claim runs as PyTorch's own reference; what
does not fit the op raises an error.
{{gradients}}"""
import pathlib

import torch

from .custom_op import Operator, gradient_by_autograd
from .launch import PlanError

_FOLDER = pathlib.Path(__file__).parent
FORWARD = Operator(_FOLDER, "{{op}}_{{candidate}}")
BACKWARD = None
if (_FOLDER / "backward").is_dir():
    BACKWARD = Operator(_FOLDER / "backward", "{{op}}_{{candidate}}_backward_{{backward}}", lambda *a: gradient_by_autograd(FORWARD, BACKWARD)(*a))
FORWARD.differentiated_by(BACKWARD, "{{op}}_{{candidate}}_autograd_{{backward}}")

PLAN = FORWARD.plan
TABLE = FORWARD.table
OPERATOR, DIFFERENTIABLE = FORWARD.raw, FORWARD.differentiable  # without autograd, and with it
expression, reference = FORWARD.expression, FORWARD.reference


def {{function}}(*arguments):
    if torch.is_grad_enabled():
        for tensor in arguments[:FORWARD.count]:
            if getattr(tensor, "requires_grad", False):
                return DIFFERENTIABLE(*arguments)
    return OPERATOR(*arguments)
