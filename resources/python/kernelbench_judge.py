# SPDX-License-Identifier: Apache-2.0
"""One solution through KernelBench's own evaluation: a process that warpwright-cli starts for each, speaking JSON-RPC as frames.py says.

method    params                           result
describe  {device}                         {torch, gpu, why_not}
load      {repository}                     {}: imports KernelBench's modules
prepare   {name, task, solution}           {by_kernel, compile_why}: of these texts; may run beside other work on the device
evaluate  {correct_trials, perf_trials}    {evaluated, correct, why, kernel_ms, eager_ms, compile_ms}: of what was prepared, alone on the device

Used as it is: eval.eval_kernel_against_ref (correctness, times of solution and eager) and timing.measure_ref_program_time (torch.compile). What
its modules import and the evaluation does not use (clients of language models) is stood in for where it is missing, as is pydantic's BaseModel.
Random inputs are drawn on the GPU, since drawing billions of numbers on the CPU takes most of a minute."""
import pathlib
import sys
import types

from frames import Refused, serve

try:
    import torch
except Exception as e:  # an installation may be broken in many ways
    torch = None
    why_no_torch = f"this Python cannot import torch: {e}"


class _Missing(types.ModuleType):
    """In the place of a package that is not installed."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *a, **k: None


class _Fields:  # in the place of pydantic.BaseModel
    def __init__(self, **values):
        self.__dict__.update(values)


def load(repository):
    """KernelBench's modules eval and timing."""
    missing = []
    for name in ("openai", "litellm", "dotenv", "requests", "tqdm", "pydantic"):
        try:
            __import__(name)
        except ImportError:
            missing.append(name)
            sys.modules[name] = _Missing(name)
            sys.modules[name].BaseModel = _Fields
    sys.path.insert(0, str(pathlib.Path(repository) / "src"))
    from kernelbench import eval as judge, timing
    for name in missing:
        del sys.modules[name]  # PyTorch looks for some of them, too
    return judge, timing


def draw_on(device, judge):
    """Makes KernelBench's tasks draw their inputs there."""
    plain = judge.load_original_model_and_inputs

    def loaded(text, context):
        model, initial, inputs = plain(text, context)

        def drawn():
            with torch.device(device):
                return inputs()
        return model, initial, drawn
    judge.load_original_model_and_inputs = loaded


def said(error, length=500):
    return f"{type(error).__name__}: {error}"[:length]


def time_of(milliseconds):
    """None: not known; KernelBench writes -1."""
    return float(milliseconds) if milliseconds is not None and milliseconds > 0 else None


class Helper:
    def __init__(self):
        self.device = self.judge = self.timing = self.name = self.task = self.solution = self.compile_why = None

    def describe(self, params):
        self.device = params["device"]
        if torch is None:
            return {"torch": "", "gpu": "", "why_not": why_no_torch}
        if not torch.cuda.is_available():
            return {"torch": torch.__version__, "gpu": "", "why_not": f"no CUDA device for PyTorch {torch.__version__}"}
        return {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(self.device), "why_not": ""}

    def load(self, params):
        try:
            self.judge, self.timing = load(params["repository"])
        except Exception as e:
            raise Refused("KernelBench's evaluation cannot be imported", said(e)) from None
        draw_on(self.device, self.judge)
        return {}

    def prepare(self, params):
        self.name, self.task, self.solution, self.compile_why = params["name"], params["task"], params["solution"], ""
        try:
            self.compile_first()
        except Exception as e:
            self.compile_why = said(e, 300)
        try:
            return {"by_kernel": self.by_kernel(), "compile_why": self.compile_why}
        except Exception:  # what is wrong with the solution the evaluation says
            return {"by_kernel": None, "compile_why": self.compile_why}

    def compile_first(self):
        """Fills the compiler's caches: compiling is no part of a time."""
        model, initial, inputs = self.judge.load_original_model_and_inputs(self.task, {})
        with torch.no_grad():
            torch.compile(model(*initial()).to(self.device))(*inputs())
        torch.cuda.synchronize()
        torch._dynamo.reset()
        torch.cuda.empty_cache()

    def by_kernel(self):
        """Whether the solution launches its kernel for the task's inputs, rather than leaving them to the task's own module."""
        names = {"__name__": "solution"}
        exec(compile(self.solution, "solution", "exec"), names)
        _, initial, inputs = self.judge.load_original_model_and_inputs(self.task, {})
        with torch.no_grad():
            names["ModelNew"](*initial()).to(self.device)(*inputs())
        return bool(names["_WARPWRIGHT"].known())

    def evaluate(self, params):
        device, calls = torch.device(self.device), int(params["perf_trials"])
        out = {"evaluated": False, "correct": False, "why": "", "kernel_ms": None, "eager_ms": None, "compile_ms": None}
        try:
            found = self.judge.eval_kernel_against_ref(self.task, self.solution, num_correct_trials=int(params["correct_trials"]),
                                                       num_perf_trials=calls, measure_performance=True, device=device, backend="cuda",
                                                       precision=torch.float32)
        except Exception as e:  # KernelBench evaluates in f32 alone, and cannot run every task of its own
            return dict(out, why=said(e))
        if found is None:
            return dict(out, why="it gave no result")
        plain = ("hardware", "device") + (("correctness_trials",) if found.correctness else ())
        out |= {"evaluated": True, "correct": bool(found.correctness), "kernel_ms": time_of(getattr(found, "runtime", None)),
                "eager_ms": time_of(getattr(found, "ref_runtime", None)),
                "why": "; ".join(f"{k}: {v}" for k, v in found.metadata.items() if k not in plain)[:500]}
        try:
            compiled = None if self.compile_why else self.timing.measure_ref_program_time(
                self.name, self.task, num_trials=calls, use_torch_compile=True, device=device)
            out["compile_ms"] = time_of(compiled["mean"]) if compiled else None
        except Exception:  # the solution is judged all the same
            pass
        return out

    def answer(self, method, params):
        if method not in ("describe", "load", "prepare", "evaluate"):
            raise Refused(f"there is no method '{method}'")
        return getattr(self, method)(params)


if __name__ == "__main__":
    serve(Helper().answer, "judging the solution failed")
