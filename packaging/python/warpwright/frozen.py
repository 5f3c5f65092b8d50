# SPDX-License-Identifier: Apache-2.0
"""A function as a file of its own: its source, and of its module only what it uses. Importing it runs nothing else of
the module."""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Callable

from .errors import CannotImport


def source(function: Callable[..., Any]) -> str:
    """The text of a Python file that defines the function under its own name."""
    writer = _Writer(function)
    writer.add(function.__name__, function)
    return "import torch\n" + "\n".join(writer.parts) + "\n"


class _Writer:
    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.parts: list[str] = []
        self.known: dict[str, Any] = {}

    def add(self, name: str, value: Any) -> None:
        if name in self.known:
            if self.known[name] is not value:
                raise CannotImport(
                    f"{self.function.__name__}: '{name}' is two different things in the functions that it uses"
                )
            return
        self.known[name] = value
        if isinstance(value, ModuleType):
            self.parts.append(
                f"import {value.__name__} as {name}"
                if "." in value.__name__ or value.__name__ != name
                else f"import {name}"
            )
        elif isinstance(value, FunctionType):
            self.write(name, value)
        elif _literal(value):
            self.parts.append(f"{name} = {_text(value)}")
        elif isinstance(value, (type, BuiltinFunctionType)) and getattr(value, "__module__", None) not in (
            None,
            "__main__",
            self.function.__module__,
        ):
            self.parts.append(f"from {value.__module__} import {value.__qualname__} as {name}")
        else:
            raise CannotImport(
                f"{self.function.__name__} uses '{name}', a {type(value).__name__}",
                hint="Pass tensors and modules as arguments, or optimize a torch.nn.Module.",
            )

    def write(self, name: str, function: FunctionType) -> None:
        function = inspect.unwrap(function)
        if function.__module__.split(".")[0] == "torch":
            self.parts.append(f"from {function.__module__} import {function.__qualname__} as {name}")
            return
        tree = _definition(function)
        used = inspect.getclosurevars(function)
        inner = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
        for other, value in [*used.globals.items(), *used.nonlocals.items()]:
            if other in inner and value is not function and getattr(value, "__wrapped__", None) is not function:
                self.add(other, value)
        tree.name = name
        self.parts.append(ast.unparse(tree))


def _definition(function: FunctionType) -> ast.FunctionDef:
    """The function's definition without decorators, annotations and defaults that name something."""
    if function.__name__ == "<lambda>":
        raise CannotImport("a lambda cannot be imported; write a function with def")
    try:
        text = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(text).body[0]
    except (OSError, TypeError, SyntaxError, IndexError) as e:
        raise CannotImport(f"the source of {function.__name__} cannot be read", cause=str(e)) from None
    if not isinstance(tree, ast.FunctionDef):
        raise CannotImport(f"{function.__name__} is not defined by a def of its own")
    tree.decorator_list = []
    tree.returns = None
    named = [*tree.args.posonlyargs, *tree.args.args]
    for argument in [*named, *tree.args.kwonlyargs, *([tree.args.vararg] if tree.args.vararg else [])]:
        argument.annotation = None
    values = function.__defaults__ or ()
    tree.args.defaults = [_default(function, value) for value in values]
    tree.args.kw_defaults = [
        _default(function, (function.__kwdefaults__ or {})[a.arg]) if a.arg in (function.__kwdefaults__ or {}) else None
        for a in tree.args.kwonlyargs
    ]
    return tree


def _default(function: FunctionType, value: Any) -> ast.expr:
    if not _literal(value):
        raise CannotImport(f"{function.__name__} has a default of type {type(value).__name__}")
    return ast.parse(_text(value), mode="eval").body


def _literal(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_literal(v) for v in value)
    return (
        value is None
        or isinstance(value, (bool, int, float, str))
        or (type(value).__module__ == "torch" and type(value).__name__ == "dtype")
    )


def _text(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + "".join(_text(v) + ", " for v in value) + ")"
    if isinstance(value, list):
        return "[" + ", ".join(_text(v) for v in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)
