# SPDX-License-Identifier: Apache-2.0
"""More for aten_test.py, of sizes that are made smaller to be compared."""
import torch
import torch.nn as nn


class Task(nn.Module):
    pass


def get_inputs():
    return [torch.rand(64, 128, 500)]


class Transposed(Task):
    def __init__(self):
        super().__init__()
        self.up = nn.ConvTranspose1d(128, 96, 3, bias=False)

    def forward(self, x):
        return self.up(x)
