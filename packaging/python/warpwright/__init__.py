# SPDX-License-Identifier: Apache-2.0
"""Proved GPU kernels as Python functions, through warpwright-cli.

import warpwright
k = warpwright.kernel("softmax over the rows", x)
y = k(x)
"""

from .commands import candidates, check, diff, export, measurements, profile, report, runs, show
from .understanding import describe
from .errors import (
    CannotImport,
    CannotRun,
    Disagreement,
    DoesNotFit,
    Error,
    Failed,
    Interrupted,
    Missing,
    NothingAccepted,
    NotJudged,
    NotUnderstood,
    Question,
    RevokedKey,
    UnknownKey,
    WrongUsage,
)
from .exploration import Exploration, Progress, explore
from .kernels import Kernel, kernel
from .optimized import Optimized, optimize
from .cli import program
from .records import Candidate, Choice, Description, Measurement, Run, Score, Spec, Stage, Tensor, Verdict
from .tables import Table

__version__ = "0.1.0"
__all__ = [
    "Candidate",
    "CannotImport",
    "CannotRun",
    "Choice",
    "Description",
    "Disagreement",
    "DoesNotFit",
    "Error",
    "Exploration",
    "Failed",
    "Interrupted",
    "Kernel",
    "Measurement",
    "Missing",
    "NothingAccepted",
    "NotJudged",
    "NotUnderstood",
    "Optimized",
    "Progress",
    "Question",
    "RevokedKey",
    "Run",
    "Score",
    "Spec",
    "Stage",
    "Table",
    "Tensor",
    "UnknownKey",
    "Verdict",
    "WrongUsage",
    "candidates",
    "check",
    "describe",
    "diff",
    "explore",
    "export",
    "kernel",
    "measurements",
    "optimize",
    "profile",
    "program",
    "report",
    "runs",
    "show",
]
