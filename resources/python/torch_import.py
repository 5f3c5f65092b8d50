# SPDX-License-Identifier: Apache-2.0
"""A PyTorch module as an op spec: a process that warpwright-cli starts and ends, which speaks JSON-RPC 2.0 on its standard input and output. It runs
the person's own file. Modules and inputs are made without memory, so that large ones cost nothing; torch.export gives the graph, aten/ its spec.

method    params                                     result
describe  {}                                         {python, torch, why_not}
import    {file, name, inputs: ["f32[4, 8]"], eval}  {text, name, inputs: [{name, argument | state | constant}], outputs, sizes: {symbol: example's}, notes}
run       {seed, set, small}                         {sizes, seed, exact, inputs: {name: TENSOR}, outputs: {name: TENSOR}}: the module's own results
shutdown  {}                                         {}

TENSOR: {dtype, shape, data}: base64 of the elements in memory order. `exact`: the module computed in float64."""
import base64
import contextlib
import importlib.util
import inspect
import logging
import math
import platform
import re
import sys
import warnings

from frames import Refused, serve

try:
    import torch
    from aten.graph import DTYPES
    from aten.translate import constants_of, translate
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import ShapeEnv
except Exception as e:  # an installation may be broken in many ways
    torch = None
    why_no_torch = f"this Python cannot import torch: {e}"

MOST_ELEMENTS = 1 << 20  # of a tensor at the spec's default sizes
MOST_WORK = 1 << 27  # terms of an equation at the default sizes
MOST_TRIED = 14 << 20  # bytes of the inputs and outputs of a comparison, in base64


def why_not():
    if torch is None:
        return why_no_torch
    if not hasattr(torch, "export") or tuple(int(n) for n in re.findall(r"\d+", torch.__version__)[:2]) < (2, 6):
        return f"PyTorch {torch.__version__} is too old; importing modules needs 2.6"
    return ""


STANDS_FOR = {}  # a type: the one in whose place a module computes in it


def norm_by_input(function, has_default_eps):
    """normalized_shape repeats the input's sizes as numbers; taken from the input, they may vary."""
    def norm(input, normalized_shape, *arguments, **named):
        shape = [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        if has_default_eps and len(arguments) < 2 and named.get("eps") is None:
            named["eps"] = torch.finfo(STANDS_FOR.get(input.dtype, input.dtype)).eps
        return function(input, list(input.shape[-len(shape):]), *arguments, **named)
    return norm


@contextlib.contextmanager
def sizes_by_input():
    functional = torch.nn.functional
    kept = {name: getattr(functional, name) for name in ("layer_norm", "rms_norm") if hasattr(functional, name)}
    try:
        for name, function in kept.items():
            setattr(functional, name, norm_by_input(function, name == "rms_norm"))
        yield
    finally:
        for name, function in kept.items():
            setattr(functional, name, function)


def true_quotients():
    """PyTorch 2.6 infers a quotient's type without a detour through its decomposition, and takes that of integers to be an integer."""
    impls = getattr(torch._subclasses.fake_impls, "get_fast_op_impls", None)
    if impls:
        impls().pop(torch.ops.aten.div.Tensor, None)


def lifted(module, names, replaced):
    """The module as a function of its state. `replaced` gets the names of the tensors that it puts others in the place of."""
    class Watched(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = module

        def forward(self, *arguments):
            given = dict(module.named_buffers(remove_duplicate=False))
            made = self.inner(*arguments)
            replaced.update(n for n, b in module.named_buffers(remove_duplicate=False) if b is not given.get(n))
            return made

    class Lifted(torch.nn.Module):
        def forward(self, state, arguments):
            return torch.func.functional_call(watched, {f"inner.{n}": s for n, s in zip(names, state)}, tuple(arguments), strict=True)
    watched = Watched()
    return Lifted()


def attributes_as_buffers(module):
    """Tensors that are plain attributes of modules are inputs of the spec, too."""
    for part in module.modules():
        for name, value in list(vars(part).items()):
            if isinstance(value, torch.Tensor):
                delattr(part, name)
                part.register_buffer(name, value, persistent=False)


def as_module(function):
    class Function(torch.nn.Module):
        def forward(self, *arguments):
            return function(*arguments)
    return Function()


def example(text):
    """"f32[512, 1024]" as a tensor without memory."""
    m = re.fullmatch(r"\s*(\w+)\s*(?:\[([\d\s,]*)\])?\s*", text)
    types = {name: dtype for dtype, name in DTYPES.items()}
    if not m or m[1] not in types:
        raise Refused(f"'{text}' is not an input such as f32[512, 1024]")
    return torch.empty([int(n) for n in (m[2] or "").split(",") if n.strip()], dtype=types[m[1]])


class Helper:
    def __init__(self):
        self.made = None

    def describe(self, params):
        return {"python": platform.python_version(), "torch": torch.__version__ if torch else "", "why_not": why_not()}

    # --- import
    def load(self, file, name):
        spec = importlib.util.spec_from_file_location("warpwright_task", file)
        task = importlib.util.module_from_spec(spec)
        sys.modules["warpwright_task"] = task
        try:
            spec.loader.exec_module(task)
        except Exception as e:
            raise Refused(f"running '{file}' failed", f"{type(e).__name__}: {e}") from None
        if name:
            if not hasattr(task, name):
                raise Refused(f"'{file}' has no '{name}'")
            return task, getattr(task, name)
        own = [v for v in vars(task).values() if inspect.isclass(v) and issubclass(v, torch.nn.Module) and v.__module__ == "warpwright_task"]
        if hasattr(task, "Model"):
            return task, task.Model
        if len(own) == 1:
            return task, own[0]
        names = ", ".join(c.__name__ for c in own)
        raise Refused(f"'{file}' has {len(own)} modules" + (f": {names}; name one: FILE.py:CLASS" if own else "; name a function: FILE.py:FUNCTION"))

    def build(self, task, target, inputs):
        try:
            if inspect.isclass(target):
                given = task.get_init_inputs() if hasattr(task, "get_init_inputs") else []
                module = target(*given) if isinstance(given, (list, tuple)) else target(**given)
            else:
                module = target if isinstance(target, torch.nn.Module) else as_module(target)
            arguments = [example(t) for t in inputs] if inputs else list(task.get_inputs()) if hasattr(task, "get_inputs") else None
        except Refused:
            raise
        except Exception as e:
            raise Refused("making the module and its inputs failed", f"{type(e).__name__}: {e}") from None
        if arguments is None:
            raise Refused("the file has no get_inputs(); give the inputs with --input, such as --input 'f32[512, 1024]'")
        return module, arguments

    def exported(self, module, state, arguments, replaced):
        """With sizes as symbols where the module lets them vary, else as numbers."""
        dims = lambda v: {a: torch.export.Dim.AUTO for a in range(v.dim())} if isinstance(v, torch.Tensor) else None  # noqa: E731
        failed = None
        true_quotients()
        for dynamic in ({"state": [dims(v) for v in state.values()], "arguments": [dims(v) for v in arguments]}, None):
            try:
                with sizes_by_input():
                    program = torch.export.export(lifted(module, list(state), replaced), (list(state.values()), arguments), dynamic_shapes=dynamic, strict=False)
                    return program.run_decompositions()
            except Exception as e:
                failed = failed or e
        raise Refused("torch.export cannot follow the module", f"{type(failed).__name__}: {failed}"[:2000])

    def import_(self, params):
        if why_not():
            raise Refused(why_not())
        mode = FakeTensorMode(allow_non_fake_inputs=True, shape_env=ShapeEnv(), export=True)
        with mode:
            task, target = self.load(params["file"], params.get("name"))
            module, arguments = self.build(task, target, params.get("inputs"))
        if params.get("eval"):
            module.eval()
        attributes_as_buffers(module)
        state = dict(module.named_parameters(remove_duplicate=False))
        state.update(module.named_buffers(remove_duplicate=False))
        state = {k: v.detach() for k, v in state.items()}
        if any(isinstance(a, (list, tuple, dict)) for a in arguments):
            raise Refused("an input is a list or a dictionary; only tensors and numbers are supported")
        replaced = set()
        program = self.exported(module, state, arguments, replaced)
        names = list(state)
        forward = module.forward if not isinstance(target, type(lambda: 0)) else target
        given = [p.name for p in inspect.signature(forward).parameters.values()]
        wanted, origin = [], {}
        for k in range(len(arguments)):
            origin[f"arguments_{k}"] = {"argument": k}
            wanted.append((f"arguments_{k}", given[k] if k < len(given) else f"x{k}"))
        for k, name in enumerate(names):
            origin[f"state_{k}"] = {"state": name}
            wanted.append((f"state_{k}", name.replace(".", "_")))
        constants = constants_of(program)
        for k, name in enumerate(constants):
            origin[name] = {"constant": True}
            wanted.append((name, f"constant{k + 1}" if k else "constant"))
        placeholders = {n.name for n in program.graph.nodes if n.op == "placeholder"}
        op = re.sub(r"\W+", "_", params.get("op") or getattr(target, "__name__", "module")).strip("_").lower() or "module"
        made = translate(program, [w for w in wanted if w[0] in placeholders], op if op[0].isalpha() else "op_" + op,
                         values={n: packed(t)["data"] for n, t in constants.items()})
        if changing := sorted(replaced & {origin[i["placeholder"]].get("state") for i in made["inputs"]}):
            raise Refused(f"forward() replaces {changing[0]}, which its results depend on: the next call would give others")
        notes = []
        if made["mutated"] or replaced:
            notes.append("The module also updates its state; the op gives the results alone.")
        if module.training and any(isinstance(m, (torch.nn.modules.batchnorm._NormBase, torch.nn.modules.dropout._DropoutNd)) for m in module.modules()):
            notes.append("The module is in training mode, as the file leaves it; --eval takes it in evaluation mode.")
        self.made = dict(made, module=module, state=state, constants=constants, arguments=arguments, origin=origin, casts=casts_between_reals(program))
        hints = made["sizes"].hints
        defaults = smaller(made["graph"], hints)
        text = made["graph"].text(op if op[0].isalpha() else "op_" + op, [(o, self.dtype_of_output(program, k)) for k, o in enumerate(made["outputs"])], defaults)
        return {"text": text, "name": op, "inputs": [{"name": i["name"], **origin[i["placeholder"]]} for i in made["inputs"]], "outputs": made["outputs"],
                "sizes": hints, "notes": notes}

    @staticmethod
    def dtype_of_output(program, k):
        nodes = {n.name: n for n in program.graph.nodes}
        results = [spec.arg for spec in program.graph_signature.output_specs if spec.kind.name == "USER_OUTPUT"]
        return DTYPES[nodes[results[k].name].meta["val"].dtype]

    # --- run
    def run(self, params):
        if self.made is None:
            raise Refused("nothing has been imported")
        seed, number = int(params["seed"]), int(params["set"])
        failed = None
        for attempt in range(12):
            values = self.sizes_of(number, attempt)
            if self.bytes_of(values) > MOST_TRIED:
                failed = failed or Refused("its tensors stay too large")
                continue
            try:
                return self.tried(values, seed, number)
            except Refused:
                raise
            except Exception as e:
                failed = e
        raise Refused("the module runs at none of the small sizes tried, so that it cannot be compared with its spec",
                      f"{type(failed).__name__}: {failed}"[:1000])

    def bytes_of(self, values):
        def product(shape):
            return math.prod(int(e.xreplace({s: values[str(s)] for s in e.free_symbols if str(s) in values})) for e in shape)
        graph = self.made["graph"]
        return sum(product(graph.tensors[n]) * (4 if n in graph.inputs else 8) for n in [*graph.inputs, *self.made["outputs"]]) * 4 // 3

    def sizes_of(self, number, attempt):
        """Small sizes that differ; what only parameters have, such as a window's, near the example's."""
        hints, sizes = self.made["sizes"].hints, self.made["sizes"]
        axes = {}  # of the arguments: the last at which a symbol stands
        for i in self.made["inputs"]:
            if "argument" in self.made["origin"][i["placeholder"]]:
                for axis, e in enumerate(self.made["graph"].inputs[i["name"]].shape):
                    axes.update({str(s): max(axis, axes.get(str(s), 0)) for s in e.free_symbols})
        multiples = {str(s): int(e.as_coeff_Mul()[0]) for e in sizes.renamed.values() for s in e.free_symbols}
        if attempt == 11:
            return dict(hints)
        out, ragged = {}, [5, 7, 6, 9, 11, 8, 10, 13, 12]
        for k, (name, hint) in enumerate(hints.items()):
            if multiples.get(name, 1) > 1:
                out[name] = 1 + (k + number) % 3
            elif name in axes:  # the first two: batch and channels, or rows and columns
                near = 2 + (k + number) % 3 if attempt >= 1 else ragged[(2 * k + number) % len(ragged)]
                grown = 0 if attempt < 2 or 6 <= attempt < 9 else 7 * (attempt - 1 if attempt < 6 else attempt - 6)
                out[name] = near + (grown if axes[name] >= 2 else 0)
            elif hint <= 7:
                out[name] = max(2, hint - (number % 2 if attempt < 4 else 0))
            else:
                out[name] = ragged[(2 * k + 1 + number) % len(ragged)] + (0 if attempt < 6 else 10 * (attempt - 5))
        return out

    def tried(self, values, seed, number):
        generator = torch.Generator().manual_seed(seed * 1000003 + number)
        shapes = {}
        for i in self.made["inputs"]:
            known = {s: values[str(s)] for e in self.made["graph"].inputs[i["name"]].shape for s in e.free_symbols}
            shapes[i["placeholder"]] = [int(e.xreplace(known)) for e in self.made["graph"].inputs[i["name"]].shape]
        tensors = {i["placeholder"]: self.filled(i, shapes[i["placeholder"]], values, generator, number) for i in self.made["inputs"]}
        outputs, exact = self.computed(tensors, values)
        given = {i["name"]: packed(tensors[i["placeholder"]]) for i in self.made["inputs"]}
        return {"sizes": values, "seed": seed, "exact": exact, "inputs": given,
                "outputs": {name: packed(o.double() if o.is_floating_point() else o) for name, o in zip(self.made["outputs"], outputs)}}

    def filled(self, i, shape, values, generator, number):
        if i["placeholder"] in self.made["constants"]:
            return self.made["constants"][i["placeholder"]]
        dtype = next(d for d, n in DTYPES.items() if n == self.made["graph"].inputs[i["name"]].dtype)
        limit = self.made["graph"].domains.get(i["name"])
        if dtype == torch.bool:
            return torch.rand(shape, generator=generator) < 0.5
        if not dtype.is_floating_point:
            high = eval(limit.replace("/", "//"), {}, dict(values)) if limit else 8
            return torch.randint(0 if limit or dtype in (torch.uint8,) else -8, high, shape, generator=generator).to(dtype)
        normal = torch.randn(shape, generator=generator)
        state = self.made["origin"][i["placeholder"]].get("state", "")
        if state.endswith("running_var"):
            return (normal.abs() + 0.1).to(dtype)
        kinds = [lambda: normal, lambda: torch.rand(shape, generator=generator), lambda: normal * 4, lambda: normal.abs() + 0.05,
                 lambda: torch.rand(shape, generator=generator) * 2 - 1, lambda: normal * 0.25 + 1]
        return kinds[number % len(kinds)]().to(dtype)

    def computed(self, tensors, values):
        """The module's results, in float64 where it lets itself be computed in it."""
        for exact in (True, False) if not self.made["casts"] else (False,):
            wide = lambda v: v.double() if exact and v.is_floating_point() else v.clone()  # noqa: E731
            state, arguments = {}, []
            for k, (name, fake) in enumerate(self.made["state"].items()):
                t = tensors.get(f"state_{k}")
                state[name] = wide(t) if t is not None else wide(self.unused(f"state_{k}", fake, values))
            for k, fake in enumerate(self.made["arguments"]):
                t = tensors.get(f"arguments_{k}")
                arguments.append(wide(t) if t is not None else wide(self.unused(f"arguments_{k}", fake, values)) if isinstance(fake, torch.Tensor) else fake)
            STANDS_FOR.clear()
            if exact and not any(t.dtype == torch.float64 for t in tensors.values()):
                STANDS_FOR[torch.float64] = torch.float32
            try:
                with torch.no_grad(), sizes_by_input():
                    made = torch.func.functional_call(self.made["module"], state, tuple(arguments), strict=True)
                made = list(made) if isinstance(made, (list, tuple)) else [made]
                if not exact or all(o.dtype == torch.float64 for o in made if o.is_floating_point()):
                    return made, exact
            except Exception:
                if not exact:
                    raise
        return made, False

    def unused(self, placeholder, fake, values):
        """A tensor that the results do not depend on."""
        shape = [int(e.xreplace({s: values.get(str(s), hint) for s, hint in self.made["unnamed"].items()} |
                                {s: values[str(s)] for s in e.free_symbols if str(s) in values})) for e in self.made["shapes"][placeholder]]
        return torch.ones(shape).to(fake.dtype)

    def answer(self, method, params):
        known = {"describe": self.describe, "import": self.import_, "run": self.run}
        if method not in known:
            raise Refused(f"there is no method '{method}'")
        return known[method](params)


def casts_between_reals(program):
    return any(n.op == "call_function" and "_to_copy" in str(n.target) and n.meta["val"].dtype.is_floating_point and
               n.args[0].meta["val"].dtype.is_floating_point and n.args[0].meta["val"].dtype != n.meta["val"].dtype for n in program.graph.nodes)


def smaller(graph, hints):
    """Sizes at most those of the example at which no tensor is large and no equation long."""
    values = dict(hints)

    def product(sizes):
        return math.prod(max(1, int(s.xreplace({v: values[str(v)] for v in s.free_symbols}))) for s in sizes)

    def too_large(s):
        return product(s) > MOST_ELEMENTS
    for _ in range(400):
        over = [s for s in graph.tensors.values() if too_large(s)] or [s for s in graph.work if product(s) > MOST_WORK]
        symbols = {str(v) for e in (over[0] if over else ()) for v in e.free_symbols}
        largest = max(symbols, key=lambda v: values[v], default=None)
        if largest is None or values[largest] < 8:
            break
        values[largest] = (values[largest] + 1) // 2
    return values


def packed(tensor):
    tensor = tensor.detach().contiguous()
    data = tensor.reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    return {"dtype": DTYPES[tensor.dtype], "shape": list(tensor.shape), "data": base64.b64encode(data).decode()}


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    serve(Helper().answer, "importing the module failed")
