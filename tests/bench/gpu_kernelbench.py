# SPDX-License-Identifier: Apache-2.0
"""gpu_kernelbench.py CLI RESULTS KERNELBENCH: see gpu_kernelbench.sh, which calls it."""
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import typing

import kernelbench_visits as visits

cli, results, kernelbench = (pathlib.Path(a) for a in sys.argv[1:])
level, devices = int(os.environ.get("LEVEL", 1)), os.environ.get("DEVICE", "cuda:0").split()
task_seconds, budget = float(os.environ.get("TASK_SECONDS", 60)), os.environ.get("BUDGET", "24")
begin, seconds_left, jobs = time.monotonic(), float(os.environ.get("SECONDS_LEFT", 3600)), int(os.environ.get("JOBS", 5))
explored_by, end = begin + 0.72 * seconds_left, begin + seconds_left
apart = os.environ.get("APART") == "1"
trials = os.environ.get("TRIALS", "5 100").split()
chosen = {int(n) for n in os.environ.get("TASKS", "").split()}
least_seconds = 30     # with less left no task is begun
gpu_gigabytes = 120    # that the tasks at work on a GPU may need together
worker_gigabytes = 50  # a worker keeps input sets and references in at most a third of the card's memory
visit = time.strftime("%Y-%m-%d", time.gmtime()) + f", {len(devices)} GPU" + ("s" if len(devices) > 1 else "")
folder = pathlib.Path(tempfile.mkdtemp()) / "kernelbench"  # what RESULTS gets as one file


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
        outputs = outputs if isinstance(outputs, tuple) else [outputs]
        tensors = [t for t in [*inputs, *model.parameters(), *outputs] if isinstance(t, torch.Tensor)]
    except Exception:  # what a program of someone else's may raise: it cannot run without values
        return Cost(5e9, 1e9)
    size = sum(t.numel() * t.element_size() for t in tensors)
    return Cost(size, size / 1e12 + counter.get_total_flops() / 5e12)


def machine(device):
    import torch
    name = torch.cuda.get_device_name(device) if device.startswith("cuda") and torch.cuda.is_available() else device
    return f"{name}, torch {torch.__version__}, {os.cpu_count()} cores"


class Memory:
    """Of a GPU: those who need it wait until it is there."""

    def __init__(self, gigabytes):
        self.left, self.changed = gigabytes, threading.Condition()

    def take(self, gigabytes):
        with self.changed:
            self.changed.wait_for(lambda: self.left >= gigabytes)
            self.left -= gigabytes

    def give(self, gigabytes):
        with self.changed:
            self.left += gigabytes
            self.changed.notify_all()


def run(command, log, seconds, **variables):
    """Its exit status; None: it took too long and was ended, with all that it had started. Interrupted, it keeps what it has."""
    with open(log, "a") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                                   env={**os.environ, **variables})
        try:
            return process.wait(max(1, seconds))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        return None


def read(path):
    try:
        return json.loads(path.read_text())
    except (OSError, json.JSONDecodeError):
        return None


class Task:
    def __init__(self, file):
        self.file, self.number = file, int(file.name.split("_")[0])
        self.folder = folder / f"task_{level}_{self.number}"
        self.device = devices[0]
        self.cost = cost_of(file)
        gigabytes = self.cost.bytes * 12 / 1e9  # tensors, and for a few input sets their references and bounds in f64
        self.gigabytes = min(worker_gigabytes, max(2, gigabytes)) if self.device.startswith("cuda") else 0

    def record(self):
        tasks = (read(self.folder / "results.json") or {}).get("tasks") or [{}]
        return tasks[0]

    def verdict(self):
        return self.record().get("judged") or {}

    def command(self, *more):
        return [cli, "kernelbench", kernelbench, "--level", str(level), "--task", str(self.number), "--device", self.device, "--yes",
                "-o", self.folder, *more]

    def explore(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        workspace = self.folder / "workspace"
        command = self.command("--budget", budget, "--minutes", f"{task_seconds / 60:.3f}", "--candidate-seconds", "20", "--workers", "1",
                               "--workspace", workspace)
        status = run(command, self.folder / "log.txt", min(2 * task_seconds + 30, explored_by - time.monotonic()), **self.cache())
        shutil.rmtree(workspace, ignore_errors=True)
        return "exploring took too long" if status is None else ""

    def cache(self):
        """With APART a cache folder of its own, and with it a turn of its own on the GPU; all else is shared."""
        if not apart:
            return {}
        own = pathlib.Path(tempfile.mkdtemp())
        for shared in pathlib.Path(os.environ["WARPWRIGHT_CACHE"]).iterdir():
            if shared.name != "turns":
                (own / shared.name).symlink_to(shared)
        return {"WARPWRIGHT_CACHE": str(own)}

    def judge(self):
        command = self.command("--judge-only", "--correct-trials", trials[0], "--perf-trials", trials[1])
        status = run(command, self.folder / "log.txt", min(task_seconds + 60, end - time.monotonic()))
        return "judging took too long" if status is None else ""

    def wants(self, step):
        """Whether the step, explore or judge, is still to be done."""
        explored = bool(self.record().get("outcome", "unexplored") != "unexplored")
        return not explored if step == "explore" else bool(self.record().get("solution")) and self.verdict().get("outcome", "failed") == "failed"

    def work(self, step, memory):
        """What went wrong, in a few words, and the seconds."""
        until, start = explored_by if step == "explore" else end, time.monotonic()
        memory.take(self.gigabytes)
        try:
            if until - time.monotonic() < least_seconds:
                return None, 0.0
            return getattr(self, step)(), time.monotonic() - start
        finally:
            memory.give(self.gigabytes)


def row_of(task, seconds, what):
    record, verdict = task.record(), task.verdict()
    why = what or verdict.get("why") or record.get("why_not") or record.get("why") or record.get("title", "")
    return (f"{task.number:4} {task.file.stem.split('_', 1)[1][:36]:36} {record.get('spec', '-'):11} {record.get('outcome', '-'):13} "
            f"{verdict.get('outcome', '-'):13} {seconds:6.1f}  {why[:110]}")


def keep(head, tasks, rows):
    done = [visits.row_of(t.record(), visit) for t in tasks if t.record()]
    (results / "kernelbench.tsv").write_text(visits.text_of(done))
    (results / "kernelbench.txt").write_text("\n".join([head, *rows, "", visits.table(done)]))
    new = results / "kernelbench.new"
    with tarfile.open(new, "w:gz") as out:
        out.add(folder, "kernelbench", filter=lambda f: None if "/workspace" in f.name else f)
    new.replace(results / "kernelbench.tar.gz")


def main():
    folder.mkdir()
    results.mkdir(parents=True, exist_ok=True)
    if os.environ.get("RESUME"):
        with tarfile.open(os.environ["RESUME"]) as earlier:
            earlier.extractall(folder.parent, filter="data")
    files = list((kernelbench / "KernelBench" / f"level{level}").glob("*.py"))
    absent = chosen - {int(f.name.split("_")[0]) for f in files}
    if absent:
        sys.exit(f"level {level} has no task {', '.join(map(str, sorted(absent)))}")
    tasks = [Task(f) for f in files if not chosen or int(f.name.split("_")[0]) in chosen]
    tasks.sort(key=lambda t: (t.cost.seconds, t.number))
    for i, task in enumerate(tasks):
        task.device = devices[i % len(devices)]
    head = (f"# {time.strftime('%Y-%m-%d', time.gmtime())}, {len(devices)} x {machine(devices[0])}\n"
            f"level {level}, budget {budget} or {task_seconds:.0f} s a task, {jobs} tasks at a time{', all on the GPU at once' if apart else ''}; judged with "
            f"{trials[0]} input sets, {trials[1]} timed calls\n")
    rows, memory = {}, {device: Memory(gpu_gigabytes) for device in devices}
    subprocess.run([cli, "doctor"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)  # measures the card's ceilings, for all
    for step in ("explore", "judge"):  # one after the other: explorations would disturb KernelBench's times
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            work = {pool.submit(t.work, step, memory[t.device]): t for t in tasks if t.wants(step)}
            for done in concurrent.futures.as_completed(work):
                (what, seconds), task = done.result(), work[done]
                if what is None:  # not begun
                    continue
                seconds += rows[task.number][1] if task.number in rows else 0
                rows[task.number] = row_of(task, seconds, what), seconds
                print(rows[task.number][0], flush=True)
                keep(head, tasks, [row for row, _ in rows.values()])
    keep(head, tasks, [row for row, _ in rows.values()])
    print((results / "kernelbench.txt").read_text().split("\n\n")[-1])


main()
