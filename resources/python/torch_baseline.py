# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a baseline: a process that warpwright-cli starts and ends. It speaks JSON-RPC 2.0 with Content-Length framing on its standard
input and output, as the worker does, and times an op's PyTorch expression by the worker's rules (engine/cuda/timing.cpp): CUDA graph replays
between two events, behind work that is still running; cold: other lines are read into the L2 cache before each execution; warm: executions follow
each other within one graph, after one that is not timed; what two events measure with nothing between them is taken off; regimes and variants take
turns in random order within a round.

method    params                                                                     result
describe  {device}                                                                   {python, torch, cuda, gpu, why_not}
prepare   {expression, symbols, constants, inputs: [{name, dtype, shape, lo?, hi?, rules?}],  {variants: [{name, error, note}]}
           outputs: [{name, dtype, shape}], device, seed, compile}
time      {round, samples, sample_seconds, cold, warm, warm_up_seconds, order_seed}  {timings: [{subject, cache, graph, samples: [{us, replays, round}]}]}
evaluate  {expression, symbols, constants, inputs: [{name, dtype, shape, values}]}    {shape, values}: on the CPU, in float64
shutdown  {}                                                                         {}

Expressions come from Warpwright's own op library alone, never from a candidate or a model."""
import math
import platform
import random
import statistics
import time

from frames import Refused, serve

try:
    import torch
    import torch.nn.functional as F
except Exception as e:  # an installation may be broken in many ways
    torch = None
    why_no_torch = f"this Python cannot import torch: {e}"


def dtype_of(name):
    return {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64, "i32": torch.int32,
            "i8": torch.int8, "u8": torch.uint8, "bool": torch.bool,
            "u16": getattr(torch, "uint16", torch.int16), "u32": getattr(torch, "uint32", torch.int32),
            "u64": getattr(torch, "uint64", torch.int64), "e4m3": getattr(torch, "float8_e4m3fn", None), "e5m2": getattr(torch, "float8_e5m2", None)}[name]


def memory_of(tensor):
    return tensor.untyped_storage().data_ptr() if hasattr(tensor, "untyped_storage") else tensor.storage().data_ptr()


def distinct(shape, dtype, lo, hi, positive, generator, device):
    """No value twice in a row, while the type has enough of them."""
    n = shape[-1]
    count = n if lo is None or dtype.is_floating_point else int(hi) - int(lo)
    rank = torch.rand((*shape[:-1], count), generator=generator, device=device).argsort(-1)[..., :n]
    if not dtype.is_floating_point:
        return (rank + (int(lo) if lo is not None else 1 if positive else -(n // 2))).to(dtype)
    if lo is not None:
        return (lo + (hi - lo) * (rank.double() + 0.5) / n).to(dtype)
    return ((rank + 1 if positive else rank - n // 2) * 2.0 ** -8).to(dtype)


def kept(x, rules):
    """Positive and in order, where the op says so."""
    if "positive" in rules:
        x = torch.where(x == 0, torch.ones_like(x), x.abs())
    return x.sort(-1).values if "sorted" in rules else x


def make_input(spec, generator, device):
    """Values as the gate's normal inputs have them: standard normal, or uniform over the tensor's own domain; integers within theirs."""
    dtype, shape, lo, hi, rules = dtype_of(spec["dtype"]), spec["shape"], spec.get("lo"), spec.get("hi"), spec.get("rules", [])
    if "distinct" in rules or "permutation" in rules:
        return kept(distinct(shape, dtype, lo, hi, "positive" in rules, generator, device), rules)
    if dtype.is_floating_point:
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        if lo is None:
            return kept(torch.randn(shape, generator=generator, dtype=wide, device=device).to(dtype), rules)
        return kept((torch.rand(shape, generator=generator, dtype=wide, device=device) * (hi - lo) + lo).to(dtype), rules)
    if lo is None:
        lo, hi = {"bool": (0, 2), "u8": (0, 16), "u16": (0, 16), "u32": (0, 16), "u64": (0, 16)}.get(spec["dtype"], (-8, 8))
    made = torch.randint(int(lo), max(int(lo) + 1, int(hi)), shape, generator=generator, dtype=torch.int64, device=device)
    return kept(made.to(dtype), rules)


def function_of(params):
    names = [i["name"] for i in params["inputs"]]
    known = {"torch": torch, "F": F, "math": math}
    known.update(params["symbols"])
    known.update(params["constants"])
    return eval(f"lambda {', '.join(names)}: ({params['expression']})", known)


class Variant:
    """One way to run the op: plain ("torch eager"), or compiled ("torch.compile")."""

    def __init__(self, name, function, inputs):
        self.name, self.function, self.inputs = name, function, inputs
        self.graphs = {}
        self.us = 0.0

    def capture(self, executions):
        if executions not in self.graphs:
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):  # libraries load, compilers compile and caches fill before the capture
                for _ in range(3):
                    self.function(*self.inputs)
            torch.cuda.current_stream().wait_stream(side)
            torch.cuda.synchronize()
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(executions):
                    result = self.function(*self.inputs)
            self.graphs[executions] = (graph, result)  # the result keeps its memory
        return self.graphs[executions][0]


class Helper:
    def __init__(self):
        self.variants, self.device, self.flush, self.sink, self.overhead = [], None, None, None, 0.0

    def why_not(self):
        if torch is None:
            return why_no_torch
        if not torch.cuda.is_available():
            return "no CUDA device for PyTorch " + torch.__version__ + (" (it was built without CUDA)" if torch.version.cuda is None else "")
        return ""

    def describe(self, params):
        why = self.why_not()
        return {"python": platform.python_version(), "torch": torch.__version__ if torch is not None else "", "cuda": (torch.version.cuda or "") if torch is not None else "",
                "gpu": "" if why else torch.cuda.get_device_name(int(params.get("device", 0))), "why_not": why}

    def evaluate(self, params):
        if torch is None:
            raise Refused(why_no_torch)
        tensors = []
        for i in params["inputs"]:
            wide = torch.float64 if dtype_of(i["dtype"]).is_floating_point else torch.int64
            tensors.append(torch.tensor([float(v) if wide == torch.float64 else v for v in i["values"]], dtype=wide).reshape(i["shape"]))
        result = function_of(params)(*tensors)
        values = result.reshape(-1).tolist()
        return {"shape": list(result.shape), "values": [v if not isinstance(v, float) or math.isfinite(v) else str(v) for v in values]}

    def checked(self, result, outputs, inputs):
        if not isinstance(result, torch.Tensor) or len(outputs) != 1:
            raise Refused("the op has not one output tensor")
        want = outputs[0]
        if list(result.shape) != list(want["shape"]):
            raise Refused(f"PyTorch's result has the shape {list(result.shape)}, the op's output {want['shape']}")
        if any(memory_of(result) == memory_of(i) for i in inputs):
            raise Refused("PyTorch gives a view of an input, which costs nothing")
        if result.is_floating_point() and not bool(torch.isfinite(result).all()):
            raise Refused("PyTorch's result is not finite on these inputs")
        notes = []
        if not result.is_contiguous():
            notes.append("PyTorch's result is in another order in memory")
        if result.dtype != dtype_of(want["dtype"]):
            notes.append(f"PyTorch's result is {str(result.dtype).replace('torch.', '')}")
        return ", ".join(notes)

    def prepare(self, params):
        if self.why_not():
            raise Refused(self.why_not())
        self.device = int(params.get("device", 0))
        torch.cuda.set_device(self.device)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.set_grad_enabled(False)
        generator = torch.Generator(device="cuda").manual_seed(int(params.get("seed", 0)))
        plain = function_of(params)
        inputs = [make_input(i, generator, "cuda") for i in params["inputs"]]
        note = "TF32 off"
        try:
            result = plain(*inputs)
        except (RuntimeError, IndexError, TypeError):
            if all(i.dtype not in (torch.int32, torch.int8) for i in inputs):
                raise
            inputs = [i.long() if i.dtype in (torch.int32, torch.int8) else i for i in inputs]
            result = plain(*inputs)
            note += ", integer inputs are int64, as PyTorch wants them"
        other = self.checked(result, params["outputs"], inputs)
        note += ", " + other if other else ""
        del result
        l2 = getattr(torch.cuda.get_device_properties(self.device), "L2_cache_size", 0) or (128 << 20)
        self.flush = torch.zeros(2 * l2 // 4, dtype=torch.float32, device="cuda")
        self.sink = torch.zeros((), dtype=torch.float32, device="cuda")
        self.variants, answers = [], []
        for name in ["torch eager"] + (["torch.compile"] if params.get("compile", True) else []):
            answer = {"name": name, "error": "", "note": note}
            try:
                function = plain
                if name == "torch.compile":
                    if not hasattr(torch, "compile"):
                        raise Refused(f"PyTorch {torch.__version__} has no torch.compile")
                    function = torch.compile(plain, dynamic=False)
                    self.checked(function(*inputs), params["outputs"], inputs)
                variant = Variant(name, function, inputs)
                variant.capture(1)
                self.variants.append(variant)
            except Exception as e:
                answer["error"] = str(e).strip().split("\n")[0] or type(e).__name__
                torch.cuda.synchronize()
            answers.append(answer)
        return {"variants": answers}

    def between_events(self, before, work):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        before()
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end) * 1000

    def read_other_lines(self):
        torch.sum(self.flush, dim=0, out=self.sink)

    def warm_up(self, variant, seconds):
        """Until two medians in a row agree within 1 %."""
        graph, until, last = variant.capture(1), time.monotonic() + seconds, 0.0
        while True:
            variant.us = statistics.median(max(0.01, self.between_events(graph.replay, graph.replay) - self.overhead) for _ in range(5))
            if abs(variant.us - last) <= 0.01 * variant.us or time.monotonic() > until:
                return
            last = variant.us

    def time(self, params):
        if not self.variants:
            raise Refused("nothing is prepared")
        round_, samples = int(params["round"]), int(params["samples"])
        self.overhead = statistics.median(self.between_events(self.read_other_lines, lambda: None) for _ in range(21))
        turns = [(v, cache) for v in self.variants for cache in ("cold", "warm") if params.get(cache, True)]
        random.Random(int(params.get("order_seed", 0)) * 1000003 + round_).shuffle(turns)
        for variant in self.variants:
            self.warm_up(variant, params.get("warm_up_seconds", 0.05))
        timings = []
        for variant, cache in turns:
            wanted = 1 if cache == "cold" else max(1, math.ceil(params.get("sample_seconds", 0.0005) * 1e6 / variant.us))
            executions = min(wanted, 128)
            graph, launches = variant.capture(executions), math.ceil(wanted / executions)

            def work():
                for _ in range(launches):
                    graph.replay()

            taken = []
            for i in range(-1, samples):
                us = self.between_events(self.read_other_lines if cache == "cold" else graph.replay, work)
                if i >= 0:  # the first shakes off whatever ran before
                    taken.append({"us": max(0.0, us - self.overhead) / (launches * executions), "replays": launches * executions, "round": round_})
            timings.append({"subject": variant.name, "cache": cache, "graph": True, "samples": taken})
        return {"timings": timings}

    def answer(self, method, params):
        if method not in ("describe", "prepare", "time", "evaluate"):
            raise Refused(f"there is no method '{method}'")
        return getattr(self, method)(params)


if __name__ == "__main__":
    serve(Helper().answer, "PyTorch could not do it")
