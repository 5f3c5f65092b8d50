# SPDX-License-Identifier: Apache-2.0
"""Sizes of an exported graph (integers, or SymPy expressions of its symbols) as text of the op language."""
import sympy

from frames import Refused

# Names for the dimensions of a tensor, by their number; after those the pool.
_USUAL = {1: "N", 2: "RC", 3: "BRC", 4: "NCHW", 5: "NCDHW"}
_POOL = "KLPQSTUVJGM"


def _joined(parts, between):
    return between.join(parts)


def text(e):
    """Of an integer expression."""
    return _text(sympy.sympify(e), 0)


def _in(s, outer, own):
    return f"({s})" if outer > own else s


_BINARY = {"FloorDiv": " / ", "CleanDiv": " / ", "Mod": " % ", "PythonMod": " % "}
_REAL_DIVISION = {"IntTrueDiv", "FloatTrueDiv"}


def _text(e, outer):
    """`outer`: 0 anything, 1 a term of a sum, 2 a factor, 3 right of a division or below a power."""
    kind = type(e).__name__
    if e.is_Symbol:
        return str(e)
    if e.is_Integer:
        return _in(str(int(e)), outer, 3 if e >= 0 else 1)
    if e.is_Number:
        return _in(repr(float(e)), outer, 3 if e >= 0 else 1)
    if e.is_Add:
        terms = sorted(e.args, key=lambda t: (t.is_Integer, t.could_extract_minus_sign()))
        out = _text(terms[0], 1)
        for t in terms[1:]:
            out += f" - {_text(-t, 2)}" if t.could_extract_minus_sign() else f" + {_text(t, 2 if t.is_Add else 1)}"
        return _in(out, outer, 1 if outer <= 1 else 0)
    if e.is_Mul:
        if e.could_extract_minus_sign():
            return _in(f"-{_text(-e, 2)}", outer, 1)
        return _in("*".join(_text(f, 3) for f in e.args), outer, 2)
    if e.is_Pow:
        return _in(f"{_text(e.base, 4)}^{_text(e.exp, 4)}", outer, 3)
    if kind in _BINARY:
        return _in(_text(e.args[0], 2) + _BINARY[kind] + _text(e.args[1], 3), outer, 2)
    if kind in _REAL_DIVISION:
        return _in(f"f64({_text(e.args[0], 0)}) / {_text(e.args[1], 3)}", outer, 2)
    if kind == "ToFloat":
        return f"f64({_text(e.args[0], 0)})"
    if kind == "FloatPow":
        return f"pow({_text(e.args[0], 0)}, {_text(e.args[1], 0)})"
    if kind in ("Max", "Min"):
        out = _text(e.args[0], 0)
        for a in e.args[1:]:
            out = f"{kind.lower()}({out}, {_text(a, 0)})"
        return out
    if kind.startswith("OpaqueUnaryFn_"):
        return f"{kind[14:]}({_text(e.args[0], 0)})"
    raise Refused(f"the size {e} cannot be written in the op language")


def same(a, b):
    d = sympy.sympify(a) - sympy.sympify(b)
    return d == 0 or sympy.simplify(d) == 0


class Sizes:
    """The symbols of one exported program with readable names. Multiples that the graph insists on become part of the shapes: where C % 8 == 0
    must hold, the size is 8*C. Its other conditions hold of the example at least; comparing with the module at other sizes shows the rest."""

    def __init__(self, shape_env, names):
        self.env, self.names = shape_env, names
        self.tied = {}  # symbol of the program: another that has its size in every call
        self.renamed = {}  # symbol of the program: expression of ours
        self.hints = {}  # our symbol's name: its size in the example

    def expr(self, size):
        """Of an int, a SymInt or a SymFloat."""
        node = getattr(size, "node", None)
        if node is None:
            return sympy.sympify(size)
        return self.simple(node).xreplace(self.renamed)

    def simple(self, node):
        return node.expr if self.env is None else self.env.simplify(node.expr).xreplace(self.tied)

    def tie(self, a, b):
        """Sizes that an operator wants to be equal. PyTorch 2.6 does not note it of every operator."""
        a, b = (self.simple(s.node) if hasattr(s, "node") else None for s in (a, b))
        if a is not None and b is not None and a != b and a.is_Symbol and b.is_Symbol and _hint(self.env, a) == _hint(self.env, b):
            self.tied = {**{s: e.xreplace({b: a}) for s, e in self.tied.items()}, b: a}

    def name_all(self, tensors):
        """`tensors`: shapes as the program has them, in the order of the spec."""
        multiples = {}
        for guard in self.env.guards if self.env is not None else ():
            e = self.env.simplify(guard.expr).xreplace(self.tied)
            if isinstance(e, sympy.Eq) and type(e.lhs).__name__ in ("Mod", "PythonMod") and e.rhs == 0:
                base, by = e.lhs.args
                if base.is_Symbol and by.is_Integer:
                    multiples[base] = sympy.lcm(multiples.get(base, 1), by)
        for shape in tensors:
            usual = _USUAL.get(len(shape), "")
            for axis, size in enumerate(shape):
                node = getattr(size, "node", None)
                if node is None:
                    continue
                for symbol in sorted(self.simple(node).free_symbols, key=str):
                    if symbol in self.renamed:
                        continue
                    name = self.names.fresh(usual[axis] if axis < len(usual) else "", _POOL)
                    hint, by = int(_override(self.env, symbol) or _hint(self.env, symbol)), multiples.get(symbol, 1)
                    own = sympy.Symbol(name, integer=True, positive=True)
                    self.renamed[symbol] = by * own
                    self.hints[name] = hint // int(by)

    def unnamed(self, shapes):
        """The example's values of the symbols that only tensors outside of the spec have."""
        symbols = {s for shape in shapes.values() for e in shape for s in e.free_symbols}
        return {s: int(_hint(self.env, s)) if str(s) not in self.names.taken else 0 for s in symbols if str(s) not in self.hints and not
                any(str(s) == str(v) for e in self.renamed.values() for v in e.free_symbols)}


def _override(env, symbol):
    """The hint that torch.export was told to take for a symbol, or None; older versions of PyTorch have none."""
    return getattr(env, "var_to_hint_override", {}).get(symbol)


def _hint(env, symbol):
    for attribute in ("backed_var_to_val", "var_to_val"):
        values = getattr(env, attribute, None)
        if values and symbol in values:
            return values[symbol]
    raise Refused(f"the size {symbol} depends on data")
