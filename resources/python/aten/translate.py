# SPDX-License-Identifier: Apache-2.0
"""From an exported program to an op spec."""
import json
import operator as python
import pathlib

import sympy
import torch

from frames import Refused
from . import scatters, windows  # noqa: F401: register their operators
from .graph import DTYPES, Graph, Names, Value
from .operators import OPERATORS
from .sizes import Sizes, text as size_text
from .texts import filled, number, within

TABLE = json.loads(pathlib.Path(__file__).with_name("table.json").read_text())
MOST_CONSTANT = 4096  # bytes of a constant whose value the spec holds
LONGEST = 240  # of an expression, in characters, before it becomes an equation


def ruled(name):
    rule = TABLE["pointwise"].get(name)
    return rule if isinstance(rule, dict) or rule is None else {"is": rule, "as": "promoted"}


class Translator:
    def __init__(self, graph):
        self.g, self.known, self.ragged_nodes, self.node = graph, {}, set(), None

    # --- what operators ask
    def name(self, node):
        return node.target._schema.name.split("::")[-1]

    def hint(self, node):
        return node.name.strip("_").replace("_default", "")

    def is_item(self, node):
        return node.target is python.getitem

    def shape(self, node):
        return [self.g.sizes.expr(s) for s in node.meta["val"].shape]

    def dtype(self, node):
        return self.spec_dtype(node.meta["val"].dtype)

    @staticmethod
    def spec_dtype(dtype):
        if dtype not in DTYPES:
            raise Refused(f"the op language has no type {str(dtype).removeprefix('torch.')}")
        return DTYPES[dtype]

    def ragged(self, node):
        return node in self.ragged_nodes

    def set_ragged(self, node, yes):
        if yes:
            self.ragged_nodes.add(node)

    def scalar(self, value):
        return size_text(value) if isinstance(value, sympy.Basic) else number(value)

    def real(self, x, i):
        return x.at(i) if x.real else f"f64({x.at(i)})"

    def cast(self, x, dtype):
        if x.dtype == dtype:
            return x
        to_real, is_real = dtype[0] in "fe" or dtype == "bf16", x.real
        if dtype == "bool":
            return Value(x.shape, dtype, lambda i: f"{within(x.at(i), 4)} != 0")
        if to_real and (is_real and dtype in ("f32", "f64")):
            return Value(x.shape, dtype, x.at, simple=x.simple, cheap=x.cheap)
        if not to_real and not is_real and x.dtype != "bool" and dtype == "i64":
            return Value(x.shape, dtype, x.at, simple=x.simple, cheap=x.cheap)
        how = "f64" if to_real and dtype in ("f32", "f64") else dtype
        return Value(x.shape, dtype, lambda i: f"{how}({x.at(i)})", cheap=x.cheap)

    def read(self, x, i, dtype):
        """An element of x as an operand beside others of `dtype`."""
        if x.dtype == "bool" and dtype != "bool":
            return f"{'i64' if dtype[0] in 'iu' else 'f64'}({x.at(i)})"
        return x.at(i)

    def broadcast(self, x, shape):
        shape = list(shape)
        lead = len(shape) - len(x.shape)
        if lead == 0 and all(self.g.same(a, b) for a, b in zip(x.shape, shape)):
            return x
        ones = [s == 1 and shape[lead + a] != 1 for a, s in enumerate(x.shape)]
        return Value(shape, x.dtype, lambda i: x.at(["0" if o else v for v, o in zip(i[lead:], ones)]), simple=x.simple, cheap=x.cheap)

    def pointwise(self, node, template, operands, as_="promoted"):
        shape, dtype = self.shape(node), self.dtype(node)
        ready = []
        for k, x in enumerate(operands):
            if isinstance(x, Value):
                uses = template.count(f"{{{k}}}") + template.count(f"{{{k}:")
                if not x.cheap and (uses > 1 or len(x.at(["i"] * len(x.shape))) > LONGEST):
                    x = self.g.held(x)
                x = self.broadcast(x, shape)
            ready.append(x)
        is_real = any(isinstance(x, Value) and x.real for x in ready) or dtype[0] in "fe" or dtype == "bf16"

        def operand(x, i, chooses):
            if not isinstance(x, Value):
                if as_ == "bool":
                    return number(bool(x))
                return self.scalar(x)
            if chooses or (as_ == "bool" and x.dtype == "bool"):
                return x.at(i)
            if as_ == "bool":
                return f"{within(x.at(i), 4)} != 0"
            if x.real:
                return x.at(i)
            if as_ == "real" or is_real:
                return f"f64({x.at(i)})"
            return f"i64({x.at(i)})" if x.dtype == "bool" and dtype != "bool" or (x.dtype == "bool" and as_ == "promoted") else x.at(i)

        choice = template.startswith("if({0}, {1}")
        both_bool = choice and dtype == "bool"
        return Value(shape, dtype, lambda i: filled(template, [operand(x, i, (choice and k == 0) or both_bool) for k, x in enumerate(ready)]))

    # --- the graph
    def value_of(self, argument):
        if isinstance(argument, torch.fx.Node):
            return self.known[argument]
        if isinstance(argument, (list, tuple)):
            return [self.value_of(a) for a in argument]
        return argument

    def operator_of(self, node):
        arguments, named = [self.value_of(a) for a in node.args], {k: self.value_of(v) for k, v in node.kwargs.items()}
        name = self.name(node)
        in_place = name.endswith("_") and not name.endswith("__")
        name = name.rstrip("_") if in_place else name
        if name in TABLE["random"]:
            if name == "native_dropout" and (not arguments[2] or arguments[1] == 0):
                return [arguments[0], None]
            raise Refused("random numbers cannot be written as index equations")
        if name in TABLE["why_not"]:
            raise Refused(TABLE["why_not"][name])
        if name in TABLE["same"]:
            return arguments[0]
        dtype = node.meta["val"].dtype if isinstance(node.meta.get("val"), torch.Tensor) else None
        tensors = [a for a in arguments if isinstance(a, Value)]
        if dtype == torch.bool and name in TABLE["logical"] and tensors and all(a.dtype == "bool" for a in tensors):
            name = TABLE["logical"][name]
        if name in TABLE["activations"]:
            return self.activation(node, name, arguments, named)
        if rule := ruled(name):
            return self.by_rule(node, name, rule, arguments, named)
        if function := OPERATORS.get(name):
            return function(self, node, *arguments, **named)
        raise Refused(f"the operator {node.target} is not in the table")

    def activation(self, node, name, arguments, named):
        rule = TABLE["activations"][name]
        if name == "gelu":
            return self.pointwise(node, rule[named.get("approximate", arguments[1] if len(arguments) > 1 else "none")], arguments[:1], "real")
        defaults = rule["defaults"]
        given = list(arguments[1:]) + [None] * (len(defaults) - len(arguments) + 1)
        values = [d if g is None else g for g, d in zip(given, defaults)]
        for k, key in enumerate(k for k in named):
            if key in ("negative_slope", "alpha", "beta", "lambd", "min_val", "threshold"):
                values[0] = named[key]
            elif key in ("max_val", "value"):
                values[1] = named[key]
        if any(v is None for v in values):
            values = [0 if v is None else v for v in values]
        return self.pointwise(node, rule["is"], [arguments[0], *values])

    def by_rule(self, node, name, rule, arguments, named):
        template = rule["is"]
        alpha = named.get("alpha", 1)
        if name in ("add", "sub", "rsub") and len(arguments) > 2 and not isinstance(arguments[2], Value):
            alpha, arguments = arguments[2], arguments[:2]
        if alpha != 1 and name in ("add", "sub"):
            template, arguments = template.replace("{1:*}", "{2:^} * {1:^}"), [*arguments, alpha]
        if name in ("addcmul", "addcdiv") and named.get("value", 1) != 1:
            template, arguments = template.replace("{1:*}", "{3:^} * {1:^}"), [*arguments, named["value"]]
        rounding = named.get("rounding_mode")
        if name == "div" and rounding:
            integers = all(not (isinstance(a, Value) and a.real) and not isinstance(a, float) for a in arguments[:2])
            inner = "f64({0}) / {1:^}" if integers else "{0:*} / {1:^}"
            template = f"{rounding}({inner})"
            made = self.pointwise(node, template, arguments, "same")
            return Value(made.shape, made.dtype, lambda i: f"i64({made.at(i)})") if integers else made
        return self.pointwise(node, template, arguments, rule["as"])

    def step(self, node):
        if self.is_item(node):
            source = self.value_of(node.args[0])
            value = source[node.args[1]] if isinstance(source, list) else None
            if value is None and node.users:
                raise Refused(f"output {node.args[1]} of {node.args[0].target} is not supported")
            return value
        meta = node.meta.get("val")
        if isinstance(meta, (torch.SymInt, torch.SymFloat, torch.SymBool, int, float, bool)) and not hasattr(node.target, "_schema"):
            return self.g.sizes.expr(meta) if not isinstance(meta, (torch.SymBool, bool)) else meta
        if isinstance(meta, (torch.SymInt, int)) and not isinstance(meta, bool):
            return self.g.sizes.expr(meta)
        if not hasattr(node.target, "_schema"):
            raise Refused(f"{node.target} is not an operator of tensors")
        value = self.operator_of(node)
        if isinstance(value, Value) and not value.cheap and self.times_used(node) > 1:
            value = self.g.held(value, self.hint(node))
        return value

    @staticmethod
    def times_used(node):
        def within_(a):
            if isinstance(a, (list, tuple)):
                return sum(map(within_, a))
            return int(a is node)
        return sum(within_(u.args) + within_(tuple(u.kwargs.values())) for u in node.users)


def wanted_nodes(graph, results):
    """The nodes that the results need: others, such as updated statistics, are left out."""
    needed, todo = set(), [n for n in results if isinstance(n, torch.fx.Node)]
    while todo:
        node = todo.pop()
        if node not in needed:
            needed.add(node)
            todo.extend(node.all_input_nodes)
    return needed


def line_of(node):
    return node.format_node() or str(node)


def tie_channels(sizes, nodes):
    """Of transposed convolutions."""
    for node in nodes:
        if node.op == "call_function" and node.target == torch.ops.aten.convolution.default and node.args[6]:
            x, weight = (n.meta["val"] for n in node.args[:2])
            sizes.tie(x.shape[-weight.dim() + 1], weight.shape[0])


def translate(program, inputs, name, output_names=None, values=None):
    """`inputs`: (placeholder's name, the wanted name) in the order of the spec; `values`: of constants among them, by placeholder, in base64.
    Gives {text, inputs, outputs, sizes, hints, notes}."""
    signature = program.graph_signature
    by_name = {n.name: n for n in program.graph.nodes if n.op == "placeholder"}
    env = next((s.node.shape_env for n in by_name.values() if isinstance(n.meta.get("val"), torch.Tensor)
                for s in n.meta["val"].shape if hasattr(s, "node")), None)
    results = [spec.arg for spec in signature.output_specs if spec.kind.name == "USER_OUTPUT"]
    nodes = {n.name: n for n in program.graph.nodes}
    for r in results:
        if not hasattr(r, "name") or r.name not in nodes or not isinstance(nodes[r.name].meta.get("val"), torch.Tensor):
            raise Refused("the module returns something that is not a tensor")
    needed = wanted_nodes(program.graph, [nodes[r.name] for r in results])
    inputs = [(p, w) for p, w in inputs if by_name[p] in needed and isinstance(by_name[p].meta.get("val"), torch.Tensor)]
    names = Names()
    named = [(p, names.fresh(w)) for p, w in inputs]
    outputs = [names.fresh(output_names[k] if output_names else "y") for k in range(len(results))]
    sizes = Sizes(env, names)
    tie_channels(sizes, needed)
    sizes.name_all([by_name[p].meta["val"].shape for p, _ in named])
    graph = Graph(sizes, names)
    t = Translator(graph)
    for placeholder, wanted in named:
        value = by_name[placeholder].meta["val"]
        t.known[by_name[placeholder]] = graph.input(wanted, value.shape, t.spec_dtype(value.dtype))
        if placeholder in (values or {}):
            graph.values[wanted] = values[placeholder]
    for node in program.graph.nodes:
        if node in t.known or node not in needed or node.op == "output":
            continue
        try:
            if node.op == "placeholder":
                t.known[node] = constant_of(program, node)
            elif node.op == "call_function":
                t.known[node] = t.step(node)
            else:
                raise Refused(f"{node.op} is not supported")
        except Refused as e:
            raise Refused(str(e), f"{line_of(node)}\n{source_of(node)}".strip()) from None
    declared = []
    for own, result in zip(outputs, results):
        value = t.known[nodes[result.name]]
        dtype = t.spec_dtype(nodes[result.name].meta["val"].dtype)
        value = t.cast(value, dtype) if dtype == "bool" or not value.real or dtype[0] in "iu" else value
        finish(graph, own, value, dtype, own == outputs[-1])
        declared.append((own, dtype))
    graph.drop_unread()
    shapes = {p: [sizes.expr(s) for s in n.meta["val"].shape] for p, n in by_name.items() if isinstance(n.meta.get("val"), torch.Tensor)}
    mutated = sorted({str(spec.target) for spec in signature.output_specs if "MUTATION" in spec.kind.name})
    return {"text": graph.text(name, declared, sizes.hints), "inputs": [{"placeholder": p, "name": n} for p, n in named if n in graph.inputs],
            "outputs": [o for o, _ in declared], "sizes": sizes, "graph": graph, "shapes": shapes, "unnamed": sizes.unnamed(shapes), "mutated": mutated}


def finish(graph, own, value, dtype, is_last):
    """The equation of an output. What the last output would copy from the last equation becomes that output."""
    plain = value.at([f"<{k}>" for k in range(len(value.shape))])
    last = graph.equations[-1] if graph.equations else None
    if is_last and last and plain == (f"{last[0]}[{', '.join(f'<{k}>' for k in range(len(value.shape)))}]" if value.shape else last[0]):
        target, i, ranges, text = graph.equations.pop()
        shape = graph.tensors.pop(target)
        graph.tensors[own] = shape
        graph.equations.append((own, i, [graph.range_of(v, s, text, (own, i)) for v, s in zip(i, shape)], text))
        return
    graph.store(own, value.shape, dtype, value.at, name=own)


def held_by(program, name):
    """The constant tensor behind a placeholder; None where its value is not known."""
    target = next((s.target for s in program.graph_signature.input_specs if getattr(s.arg, "name", None) == name), None)
    tensor = program.constants.get(target)
    if tensor is None:
        tensor = program.state_dict.get(target)
    return None if isinstance(tensor, torch._subclasses.FakeTensor) else tensor


def constants_of(program):
    """The constants of several elements that become inputs of the spec, by placeholder."""
    found = {s.arg.name: held_by(program, s.arg.name) for s in program.graph_signature.input_specs if s.kind.name == "CONSTANT_TENSOR"}
    return {n: t for n, t in found.items() if isinstance(t, torch.Tensor) and t.dtype in DTYPES and t.numel() > 1 and t.nbytes <= MOST_CONSTANT}


def constant_of(program, node):
    """A constant of one element is its value."""
    tensor = held_by(program, node.name)
    if not isinstance(tensor, torch.Tensor):
        raise Refused("the value of this constant tensor is not known; make it a parameter, a buffer or an attribute of the module")
    if tensor.numel() != 1:
        raise Refused(f"this constant tensor has more than {MOST_CONSTANT} bytes; make it a parameter, a buffer or an attribute of the module")
    text, shape = number(tensor.reshape(()).item()), list(tensor.shape)
    return Value(shape, DTYPES[tensor.dtype], lambda i: text, cheap=True)


def source_of(node):
    trace = (node.meta.get("stack_trace") or "").strip().splitlines()
    return trace[-1].strip() if trace else ""
