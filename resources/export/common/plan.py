# SPDX-License-Identifier: Apache-2.0
"""The launch plan of a kernel: plan.json with the expressions of its sizes. It needs Python alone.

    python3 plan.py R=512 C=1024      prints what would be launched for these sizes
"""
import base64
import json
import math
import pathlib
import re
import struct


class PlanError(ValueError):
    """Tensors or sizes that do not fit the op, in a sentence."""


def _clamp(x, lo, hi):
    return min(max(x, lo), hi)


_FUNCTIONS = {name: getattr(math, name) for name in
              ("exp", "expm1", "log", "log2", "log10", "log1p", "sqrt", "sin", "cos", "tan", "atan", "atan2", "sinh", "cosh", "tanh", "erf",
               "floor", "ceil", "trunc", "isnan", "isinf")}
_FUNCTIONS.update({
    "exp2": lambda x: 2.0 ** x, "rsqrt": lambda x: 1 / math.sqrt(x), "pow": lambda x, y: x ** y, "abs": abs, "min": min, "max": max,
    "sign": lambda x: (x > 0) - (x < 0), "clamp": _clamp, "ceildiv": lambda a, b: -(-a // b),
    "pow2ceil": lambda a: 1 if a <= 1 else 1 << (a - 1).bit_length()})
_KNOWN = {"f_" + name: function for name, function in _FUNCTIONS.items()}
_KNOWN["__builtins__"] = {"float": float, "True": True, "False": False}


class Plan:
    def __init__(self, data):
        self.data = data
        self.op = data["op"]
        self.inputs, self.outputs, self.temporaries = data["inputs"], data["outputs"], data["temporaries"]
        self.fixed = data.get("fixed", [])  # further inputs, whose values are in the plan: constants of the module that was imported
        self.symbols = data["symbols"]
        names = ["v_" + name for name in [*self.symbols, *(c["name"] for c in data["constants"]), *data["tuning"]]]
        self._names = ", ".join(names)
        self._compiled = {}
        found = {symbol for symbol, _, _, _ in self._order([])}
        self.free = [s for s in self.symbols if s not in found]  # no input tells this size: the caller gives it
        self._steps = self._order(self.free)

    @classmethod
    def load(cls, file):
        return cls(json.loads(pathlib.Path(file).read_text()))

    def value(self, text, sizes):
        """Of an expression of plan.json, with the values that bind() gave."""
        if text not in self._compiled:
            self._compiled[text] = eval(f"lambda {self._names}: {text}", dict(_KNOWN))
        return self._compiled[text](*sizes)

    def _order(self, given):
        """In which order the inputs' dimensions tell the symbols: (symbol, number of the tensor, axis, text). A dimension tells one where it is
        linear in it and all others are known: 4*C, H - L + 1."""
        places = [(i, axis, text) for i, tensor in enumerate(self.inputs) for axis, text in enumerate(tensor["shape"])]
        places.sort(key=lambda place: place[2][2:] not in self.symbols)  # plain symbols first
        sums = {text for _, _, text in places if re.fullmatch(r"(v_\w+|\d+|[-+*() ])+", text)}  # of products, without functions
        known, steps = set(given), []
        while True:
            for i, axis, text in places:
                names = set(re.findall(r"\bv_(\w+)", text))
                new = names - known
                if len(new) == 1 and names <= set(self.symbols) and text in sums and self._line(text, *new, dict.fromkeys(known, 60)):
                    steps.append((*new, i, axis, text))
                    known |= new
                    break
            else:
                return steps

    def _line(self, text, symbol, known):
        """(a, b) where the text is a + b * symbol with b != 0, else None."""
        rest = [None] * (self._names.count(",") + 1 - len(self.symbols))
        at = [self.value(text, [{**known, symbol: n}.get(s) for s in self.symbols] + rest) for n in (0, 1, 2)]
        slope = at[1] - at[0]
        return (at[0], slope) if slope and at[2] - at[1] == slope else None

    def bind(self, shapes, free=()):
        """The values of all names for inputs of these shapes. PlanError where they do not match."""
        for tensor, shape in zip(self.inputs, shapes):
            if len(shape) != len(tensor["shape"]):
                raise PlanError(f"{self.op}: {tensor['name']} must have {len(tensor['shape'])} dimensions, not {len(shape)}")
        known = dict(zip(self.free, free))
        for symbol, i, axis, text in self._steps:
            size = shapes[i][axis]
            if text != "v_" + symbol:
                line = self._line(text, symbol, known)
                if line is None or (size - line[0]) % line[1]:
                    raise PlanError(f"{self.op}: dimension {axis} of {self.inputs[i]['name']} cannot be {size}")
                size = (size - line[0]) // line[1]
            known[symbol] = size
        return self.checked([known.get(s) for s in self.symbols], shapes)

    def checked(self, symbols, shapes=None):
        sizes = list(symbols)
        names = [*self.symbols]
        if None in sizes:
            raise PlanError(f"{self.op}: the size {names[sizes.index(None)]} is missing")
        tail = [None] * len(self.data["constants"]) + list(self.data["tuning"].values())
        for i, constant in enumerate(self.data["constants"]):
            tail[i] = self.value(constant["value"], sizes + tail)
        sizes += tail
        for tensor, shape in zip(self.inputs, shapes or ()):
            for axis, (text, size) in enumerate(zip(tensor["shape"], shape)):
                wanted = self.value(text, sizes)
                if wanted != size:
                    raise PlanError(f"{self.op}: dimension {axis} of {tensor['name']} must be {wanted}, not {size}")
        return sizes

    def claims(self, sizes):
        """Whether the kernel was written for these sizes; the gate proved it on cases of what it claims."""
        return all(self.value(text, sizes) for text in self.data["requirements"])

    def shape(self, tensor, sizes):
        return tuple(self.value(text, sizes) for text in tensor["shape"])

    @staticmethod
    def bytes_of(tensor):
        """The elements of one of `fixed`, in memory order."""
        return bytearray(base64.b64decode(tensor["data"]))

    def launches(self, sizes):
        """Numbers in place of expressions. Arguments: ("tensor", name) or ("bytes", the parameter's bytes)."""
        result = []
        for launch in self.data["launches"]:
            arguments = []
            for a in launch["arguments"]:
                arguments.append(("tensor", a["tensor"]) if a["tensor"] else ("bytes", pack(self.value(a["value"], sizes), a["type"], a["size"])))
            result.append({"kernel": launch["kernel"], "cooperative": launch["cooperative"], "arguments": arguments,
                           **{k: [self.value(t, sizes) for t in launch[k]] for k in ("grid", "block", "cluster")},
                           **{k: self.value(launch[k], sizes) for k in ("shared", "carveout")}})
        return result


def pack(value, kind, size):
    if kind == "f32":
        return struct.pack("<f", value)
    if kind == "f64":
        return struct.pack("<d", value)
    value = int(value)
    return value.to_bytes(size, "little", signed=value < 0)


if __name__ == "__main__":
    import sys
    plan = Plan.load(pathlib.Path(__file__).with_name("plan.json"))
    given = dict(plan.data["sizes"], **{k: int(v) for k, v in (a.split("=") for a in sys.argv[1:])})
    bound = plan.checked([given[s] for s in plan.symbols])
    print(json.dumps({"claimed": bool(plan.claims(bound)),
                      "temporaries": [math.prod(plan.shape(t, bound)) for t in plan.temporaries],
                      "launches": [dict(launch, arguments=[a if kind == "tensor" else list(a) for kind, a in launch["arguments"]])
                                   for launch in plan.launches(bound)]}))
