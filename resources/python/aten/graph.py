# SPDX-License-Identifier: Apache-2.0
"""An exported program as an op spec: every node of its graph becomes a Value, whose elements are expressions over the elements of others; sums and
what is used more than once become equations. operators.py says how, table.json says so for most."""
import re

import sympy
import torch

from frames import Refused
from . import sizes as _sizes
from .texts import accesses, number, within

DTYPES = {torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16", torch.int64: "i64", torch.int32: "i32",
          torch.int8: "i8", torch.uint8: "u8", torch.bool: "bool"}
for _name, _type in (("float8_e4m3fn", "e4m3"), ("float8_e5m2", "e5m2"), ("uint16", "u16"), ("uint32", "u32"), ("uint64", "u64")):
    if hasattr(torch, _name):
        DTYPES[getattr(torch, _name)] = _type

KEYWORDS = set("op default if pad sum prod max min argmax argmin any all true false inf pi f64 f32 f16 bf16 e4m3 e5m2 i32 i64 i8 u8 u16 u32 u64 bool "
               "in exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan atan atan2 sinh cosh tanh erf pow abs sign floor ceil round trunc clamp "
               "isnan isinf ceildiv pow2ceil bitand bitor bitxor shl shr positive sorted monotone distinct permutation".split())


class Names:
    def __init__(self):
        self.taken = set(KEYWORDS)

    def fresh(self, wanted, pool=""):
        wanted = re.sub(r"\W", "_", wanted).strip("_")[:60]
        if wanted and not wanted[0].isalpha():
            wanted = "t" + wanted
        for name in ([wanted] if wanted else []) + [c for c in pool]:
            if name not in self.taken:
                self.taken.add(name)
                return name
        wanted, number_ = wanted or pool[:1] or "t", 1
        while f"{wanted}{number_}" in self.taken:
            number_ += 1
        self.taken.add(f"{wanted}{number_}")
        return f"{wanted}{number_}"


class Value:
    """`at`: the text of the element at these subscripts. `simple`: an access of a tensor whose dimensions at most stand in another order."""

    def __init__(self, shape, dtype, at, simple=False, cheap=False):
        self.shape, self.dtype, self.at, self.simple, self.cheap = tuple(sympy.sympify(s) for s in shape), dtype, at, simple, simple or cheap

    @property
    def real(self):
        return self.dtype[0] in "fbe" and self.dtype != "bool"


class Graph:
    def __init__(self, sizes, names):
        self.sizes, self.names = sizes, names
        self.tensors = {}  # name: its shape
        self.inputs, self.equations = {}, []  # name: Value; (target, subscripts, ranges, text)
        self.domains = {}
        self.values = {}  # of inputs that are constants, in base64
        self.work = []  # of each equation: the sizes that its terms run over

    def size(self, s):
        return _sizes.text(self.sizes.expr(s))

    def input(self, name, shape, dtype):
        shape = [self.sizes.expr(s) for s in shape]
        self.tensors[name] = shape
        self.inputs[name] = tensor = self.tensor(name, shape, dtype)
        return tensor

    def tensor(self, name, shape, dtype):
        return Value(shape, dtype, lambda i: f"{name}[{', '.join(i)}]" if i else name, simple=True)

    def subscripts(self, shape, among=()):
        """Fresh names for subscripts, of the letters of the sizes where they have one."""
        out, taken = [], set(self.names.taken) | set(among)
        for size in shape:
            letter = str(size).lower() if getattr(size, "is_Symbol", False) else ""
            for name in [letter, *"ijklmnpqrstuvabcdefghow", *(f"i{n}" for n in range(1, 99))]:
                if name and name not in taken:
                    break
            taken.add(name)
            out.append(name)
        return out

    def range_of(self, name, size, text, target):
        """The range of a subscript, empty where the text tells it anyway."""
        found = {_sizes.text(self.tensors[tensor][position]) for tensor, parts in [*accesses(text), target] if tensor in self.tensors
                 for position, part in enumerate(parts) if part == name}
        size = _sizes.text(size)
        return "" if found == {size} else f" in 0..{size}"

    def store(self, hint, shape, dtype, text, name=None, over=()):
        """An equation: `text`(subscripts) is its right side. The new tensor."""
        shape = [sympy.sympify(s) for s in shape]
        output = name is not None
        name = name or self.names.fresh(hint if len(hint) > 1 else hint + "1")  # single letters are subscripts
        i = self.subscripts(shape)
        value = text(i)
        if output:
            self.tensors[name] = shape
        ranges = [self.range_of(v, s, value, (name, i if output else [])) for v, s in zip(i, shape)]
        self.tensors[name] = shape
        self.work.append([*shape, *over])
        self.equations.append((name, i, ranges, value))
        return self.tensor(name, shape, dtype)

    def reduced(self, hint, how, shape, dtype, over, body, limits=None, condition=None):
        """An equation of a reduction; `over`: sizes of the dimensions reduced; body(subscripts, reduced subscripts); limits: their ranges as
        functions of the subscripts; condition: likewise, of both."""

        def text(i):
            r = self.subscripts(over, i)
            inner = body(i, r)
            ranges = [f" in {limit(i)}" if limit else None for limit in limits] if limits else [None] * len(r)
            where = f" : {condition(i, r)}" if condition else ""
            shown = [v + (given if given is not None else self.range_of(v, s, inner, ("", []))) for v, s, given in zip(r, over, ranges)]
            return f"{how}({', '.join(shown)}{where}) {within(inner, 5)}"

        if not over:
            return self.store(hint, shape, dtype, lambda i: body(i, []))
        return self.store(hint, shape, dtype, text, over=over)

    def held(self, value, hint="t"):
        """The same as a tensor of its own, unless it is one."""
        if value.simple:
            return value
        return self.store(hint, value.shape, value.dtype, value.at)

    def drop_unread(self):
        """Inputs that no equation reads, such as statistics that are only updated, with the sizes that only they have."""
        read = {word for e in self.equations for word in re.findall(r"[A-Za-z_]\w*", e[3])}
        self.inputs = {n: v for n, v in self.inputs.items() if n in read}
        left = {str(s) for name in self.inputs for e in self.tensors[name] for s in e.free_symbols}
        left |= {str(s) for e in self.equations for size in self.tensors[e[0]] for s in size.free_symbols}
        self.sizes.hints = {n: v for n, v in self.sizes.hints.items() if n in left}

    def same(self, a, b):
        return _sizes.same(a, b)

    def text(self, name, outputs, defaults):
        def param(n, shape, dtype):
            dims = f"[{', '.join(_sizes.text(s) for s in shape)}]" if shape else ""
            domain = f" in 0..{self.domains[n]}" if n in self.domains else ""
            return f"{n}: {dtype}{dims}{domain}"

        ins = ", ".join(param(n, v.shape, v.dtype) for n, v in self.inputs.items())
        outs = ", ".join(param(n, self.tensors[n], dtype) for n, dtype in outputs)
        lines = [f"//@ value: {n} {data}" for n, data in self.values.items() if n in self.inputs]
        lines += [f"op {name}({ins})\n  -> {outs}" if len(ins) + len(outs) > 100 else f"op {name}({ins}) -> {outs}"]
        if defaults:
            lines.append("  default " + ", ".join(f"{s} = {v}" for s, v in defaults.items()))
        lines.append("{")
        for target, i, ranges, value in self.equations:
            left = f"{target}[{', '.join(v + r for v, r in zip(i, ranges))}]" if i else target
            lines.append(f"  {left} = {value}")
        return "\n".join(lines + ["}", ""])


__all__ = ["DTYPES", "Graph", "Names", "Refused", "Value", "number"]
