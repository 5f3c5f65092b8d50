# SPDX-License-Identifier: Apache-2.0
"""Functions and modules of PyTorch, replaced by proved kernels where tensors fit, and unchanged elsewhere."""

from __future__ import annotations

import functools
import importlib
import inspect
import os
import pathlib
import sys
import tempfile
from typing import Any, Callable, Sequence, overload

from . import fit, frozen
from .understanding import describe
from .errors import CannotImport, CannotRun, DoesNotFit
from .kernels import Kernel, kernel
from .records import Description


class Optimized:
    """Calls a proved kernel where the tensors fit it, else the original. The original also runs where a gradient is
    asked for.

    `kernel` is the kernel, None before there is one. `why_not` says why the last call ran the original; "" where it
    ran the kernel."""

    def __init__(self, original: Callable[..., Any], inputs: Sequence[str], options: dict[str, Any]) -> None:
        self.original = original
        self.kernel: Kernel | None = None
        self.why_not = "not called yet"
        self._options, self._sources = options, list[dict[str, Any]]()
        functools.update_wrapper(self, original, updated=())
        if inputs:
            self._explore(list(inputs), None)

    def prepare(self, *arguments: Any) -> Kernel:
        """Imports, proves and explores for tensors like these, wherever they are, and returns the kernel."""
        if self.kernel is None:
            self._explore([_input(a) for a in arguments], arguments)
        assert self.kernel is not None
        return self.kernel

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        self.why_not = self._refusal(arguments, named)
        if self.why_not:
            return self.original(*arguments, **named)
        chosen = self.prepare(*arguments)
        try:
            tensors = self._tensors(arguments)
            fit.sizes(chosen.description.spec, tensors)
            if not all(t.is_contiguous() for t in tensors):
                raise DoesNotFit("a tensor is not contiguous")
        except DoesNotFit as e:
            self.why_not = e.message
            return self.original(*arguments)
        try:
            return chosen(*tensors)
        except CannotRun as e:
            self.why_not = e.message
        except chosen.project.refusals() as e:
            self.why_not = str(e)
        return self.original(*arguments)

    def _refusal(self, arguments: Sequence[Any], named: dict[str, Any]) -> str:
        """Why no kernel can take these arguments; "" where one may."""
        torch = importlib.import_module("torch")
        if named:
            return "arguments are given by name"
        tensors = [a for a in arguments if isinstance(a, torch.Tensor)]
        if len(tensors) != len(arguments) or not tensors:
            return "an argument is not a tensor"
        everything = [*tensors, *_state(self.original).values()]
        if not all(t.device == tensors[0].device and t.device.type == "cuda" for t in everything):
            return "the tensors are not all on one GPU"
        if torch.is_grad_enabled() and any(t.requires_grad for t in everything):
            return "a gradient is asked for, and kernels have no backward pass"
        return ""

    def _tensors(self, arguments: Sequence[Any]) -> list[Any]:
        """The spec's inputs: arguments and tensors of the module."""
        state = _state(self.original)
        if any(s.get("argument") is not None and s["argument"] >= len(arguments) for s in self._sources):
            raise DoesNotFit(f"{len(arguments)} arguments are too few")
        return [arguments[s["argument"]] if s.get("argument") is not None else state[s["state"]] for s in self._sources]

    def _explore(self, inputs: Sequence[str], arguments: Sequence[Any] | None) -> None:
        imported = _imported(self.original, inputs)
        module = imported.json["module"]
        by_name = {s["name"]: s for s in module["inputs"]}
        self._sources = [by_name[t.name] for t in imported.spec.taken]
        options = dict(self._options)
        sizes = module["sizes"]
        if arguments is not None:
            tensors = self._tensors(arguments)
            sizes = fit.sizes(imported.spec, tensors)
            options.setdefault("device", fit.device(tensors))
        self.kernel = kernel(imported.spec.text, sizes=sizes, **options)


# The importer makes tensors without memory: such ones replace those of the module; what shares one still does.
_LOADED = """
Model = torch.load(SAVED, map_location='meta', weights_only=False)
made = {}
for part in Model.modules():
    for tensors in (part._parameters, part._buffers, vars(part)):
        for name, old in tensors.items():
            if isinstance(old, torch.Tensor) and id(old) not in made:
                made[id(old)] = old, torch.empty(old.shape, dtype=old.dtype)
                if isinstance(old, torch.nn.Parameter):
                    made[id(old)] = old, torch.nn.Parameter(made[id(old)][1], old.requires_grad)
            if isinstance(old, torch.Tensor):
                tensors[name] = made[id(old)][1]
"""


def _state(original: Callable[..., Any]) -> dict[str, Any]:
    if not hasattr(original, "named_parameters"):
        return {}
    torch = importlib.import_module("torch")
    attributes = {
        f"{path}.{name}" if path else name: value
        for path, part in original.named_modules()  # type: ignore[attr-defined]
        for name, value in vars(part).items()
        if isinstance(value, torch.Tensor)
    }
    named = {**dict(original.named_parameters()), **dict(original.named_buffers())}  # type: ignore[attr-defined]
    return {**attributes, **named}


def _input(tensor: Any) -> str:
    if not hasattr(tensor, "shape") or not hasattr(tensor, "dtype"):
        raise DoesNotFit(f"an argument is a {type(tensor).__name__}, not a tensor")
    return f"{fit.dtype(tensor)}[{', '.join(str(int(n)) for n in tensor.shape)}]"


def _imported(original: Callable[..., Any], inputs: Sequence[str]) -> Description:
    """The function or module as a spec that was compared with it."""
    environment = {} if os.environ.get("WARPWRIGHT_PYTHON") else {"WARPWRIGHT_PYTHON": sys.executable}
    with tempfile.TemporaryDirectory(prefix="warpwright-") as folder:
        file = pathlib.Path(folder, "optimized.py")
        if hasattr(original, "named_parameters"):
            file.write_text(_module_file(original, pathlib.Path(folder, "module.pt")), encoding="utf-8")
            name = "Model"
        else:
            file.write_text(frozen.source(original), encoding="utf-8")
            name = original.__name__
        imported = describe(f"{file}:{name}", inputs=inputs, run_file=True, environment=environment)
    if not imported.json.get("module"):
        raise CannotImport(f"{name} was not imported as a PyTorch function")
    return imported


def _module_file(module: Any, saved: pathlib.Path) -> str:
    """A file that loads the module from `saved`. A class of the running script is written out; others are imported
    from where they are."""
    torch = importlib.import_module("torch")
    torch.save(module, saved)
    own = {type(m) for m in module.modules() if type(m).__module__ == "__main__"}
    lines = [
        "import sys",
        f"sys.path[:0] = {[p or os.getcwd() for p in sys.path]!r}",
        "import __main__, math",
        "import torch",
        "from torch import nn",
        "import torch.nn.functional as F",
    ]
    for cls in own:
        try:
            lines += [inspect.cleandoc("\n" + inspect.getsource(cls)), f"__main__.{cls.__name__} = {cls.__name__}"]
        except (OSError, TypeError) as e:
            raise CannotImport(f"the source of {cls.__name__} cannot be read", cause=str(e)) from None
    return "\n".join([*lines, _LOADED.replace("SAVED", repr(str(saved)))])


@overload
def optimize(function: Callable[..., Any], *, inputs: Sequence[str] = (), **options: Any) -> Optimized: ...


@overload
def optimize(
    function: None = None, *, inputs: Sequence[str] = (), **options: Any
) -> Callable[[Callable[..., Any]], Optimized]: ...


def optimize(function: Callable[..., Any] | None = None, *, inputs: Sequence[str] = (), **options: Any) -> Any:
    """A decorator for a function of tensors, or a call on a torch.nn.Module: where tensors fit, a proved kernel runs
    in its place.

    The kernel is explored at the first call with tensors on a GPU, by `prepare(*tensors)`, or at once for `inputs`,
    such as ["f32[512, 1024]"]. Numbers that the function takes from its module are fixed then. Options are those of
    `kernel`: budget, device, seed, workspace and more."""
    if function is None:
        return lambda f: Optimized(f, inputs, options)
    return Optimized(function, inputs, options)
