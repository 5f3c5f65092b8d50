# SPDX-License-Identifier: Apache-2.0
"""kernelbench_judge.py KERNELBENCH TASK.py SOLUTION.py DEVICE SETS CALLS VERDICT.json: one solution through KernelBench's own evaluation.

Used as it is: eval.eval_kernel_against_ref (correctness, times of solution and eager) and timing.measure_ref_program_time (torch.compile). What
its modules import and the evaluation does not use (clients of language models) is stood in for where it is missing, as is pydantic's BaseModel.
Random inputs are drawn on the GPU, since drawing billions of numbers on the CPU takes most of a minute. One evaluation at a time: it takes the
device's turn, as explorations do.
"""
import contextlib
import fcntl
import json
import math
import os
import pathlib
import sys
import types
import typing


class Cost(typing.NamedTuple):
    bytes: float    # of inputs, parameters and outputs
    seconds: float  # by bandwidth and plain arithmetic; of unknown ones: many


def cost_of(file):
    """Of a task, from its shapes alone."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode
    names = {"__name__": "task"}
    try:
        exec(compile(file.read_text(), str(file), "exec"), names)
        with torch.device("meta"), torch.no_grad(), FlopCounterMode(display=False) as counter:
            inputs = names["get_inputs"]()
            model = names["Model"](*names["get_init_inputs"]())
            outputs = model(*inputs)
    except Exception:  # what a program of someone else's may raise: it cannot run without values
        return Cost(5e9, 1e9)
    tensors = [t for t in [*inputs, *model.parameters(), *(outputs if isinstance(outputs, tuple) else [outputs])] if isinstance(t, torch.Tensor)]
    size = sum(t.numel() * t.element_size() for t in tensors)
    return Cost(size, size / 1e12 + counter.get_total_flops() / 5e12)


def machine(device):
    import torch
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") and torch.cuda.is_available() else device
    return f"{name}, torch {torch.__version__}, {os.cpu_count()} cores"


def scores(verdicts, baseline):
    """In KernelBench's terms: fast_p of all judged, and the geometric mean of the correct ones."""
    known = [v for v in verdicts if v.get(baseline, -1) > 0]
    if not known:
        return "nothing was timed"
    ratios = [v[baseline] / v["kernel_ms"] for v in known if v.get("correct") is True and v.get("kernel_ms", -1) > 0]
    fast = ", ".join(f"fast_{p:g} {sum(r > p for r in ratios)}/{len(known)}" for p in (0, 1, 1.5, 2))
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else 0
    return f"{fast}; geometric mean of the correct {mean:.3f}"


class _Missing(types.ModuleType):
    """In the place of a package that is not installed."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *a, **k: None


class _Fields:  # in the place of pydantic.BaseModel
    def __init__(self, **values):
        self.__dict__.update(values)


def load(kernelbench):
    """KernelBench's modules eval and timing."""
    for name in ("openai", "litellm", "dotenv", "requests", "pydantic"):
        try:
            __import__(name)
        except ImportError:
            sys.modules[name] = _Missing(name)
            sys.modules[name].BaseModel = _Fields
    sys.path.insert(0, str(pathlib.Path(kernelbench) / "src"))
    from kernelbench import eval as judge, timing
    return judge, timing


def draw_on(device, judge):
    """Makes KernelBench's tasks draw their inputs there."""
    import torch
    plain = judge.load_original_model_and_inputs

    def loaded(text, context):
        model, initial, inputs = plain(text, context)

        def drawn():
            with torch.device(device):
                return inputs()
        return model, initial, drawn
    judge.load_original_model_and_inputs = loaded


@contextlib.contextmanager
def turn(device):
    """Of the device, among explorations (engine/explore/device_turn.h) and other evaluations."""
    file = pathlib.Path(os.environ["WARPWRIGHT_CACHE"]) / "turns" / device.replace(":", "_")
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "a") as held:
        fcntl.lockf(held, fcntl.LOCK_EX)
        yield


def compile_first(judge, text, device):
    """Fills the compiler's caches: compiling is no part of a time, and needs no turn."""
    import torch
    model, initial, inputs = judge.load_original_model_and_inputs(text, {})
    with torch.no_grad():
        torch.compile(model(*initial()).to(device))(*inputs())
    torch.cuda.synchronize()
    torch._dynamo.reset()
    torch.cuda.empty_cache()


def by_kernel(judge, task, solution, device):
    """Whether the solution launches its kernel for the task's inputs, rather than leaving them to the task's own module."""
    import torch
    names = {"__name__": "solution"}
    exec(compile(solution, "solution", "exec"), names)
    _, initial, inputs = judge.load_original_model_and_inputs(task, {})
    with torch.no_grad():
        names["ModelNew"](*initial()).to(device)(*inputs())
    return bool(names["_WARPWRIGHT"].known())


def main(kernelbench, task, solution, device, sets, calls, verdict):
    import torch
    judge, timing = load(kernelbench)
    draw_on(device, judge)
    text, candidate, where = pathlib.Path(task).read_text(), pathlib.Path(solution).read_text(), torch.device(device)
    out = {"task": pathlib.Path(task).name}
    try:
        compile_first(judge, text, where)
    except Exception as e:
        out["compile_why"] = f"{type(e).__name__}: {e}"[:300]
    try:
        out["by_kernel"] = by_kernel(judge, text, candidate, where)
        with turn(device):
            found = judge.eval_kernel_against_ref(text, candidate, num_correct_trials=int(sets), num_perf_trials=int(calls),
                                                  measure_performance=True, device=where, backend="cuda", precision=torch.float32)
            compiled = None if "compile_why" in out else timing.measure_ref_program_time(
                pathlib.Path(task).stem, text, num_trials=int(calls), use_torch_compile=True, device=where)
        out |= {"compiled": found.compiled, "correct": found.correctness, "kernel_ms": found.runtime, "eager_ms": found.ref_runtime,
                "compile_ms": compiled["mean"] if compiled else -1, "stats": found.runtime_stats,
                "why": "; ".join(f"{k}: {v}" for k, v in found.metadata.items() if k not in ("hardware", "device"))[:500]}
    except Exception as e:  # KernelBench evaluates in f32 alone, and cannot run every task of its own
        out["why"] = f"KernelBench cannot evaluate it: {type(e).__name__}: {e}"[:500]
    pathlib.Path(verdict).write_text(json.dumps(out, default=str, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
