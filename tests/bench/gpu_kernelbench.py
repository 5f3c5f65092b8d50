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

import kernelbench_judge

cli, results, kernelbench = (pathlib.Path(a) for a in sys.argv[1:])
level, devices = int(os.environ.get("LEVEL", 1)), os.environ.get("DEVICE", "cuda:0").split()
task_seconds, budget = float(os.environ.get("TASK_SECONDS", 60)), os.environ.get("BUDGET", "24")
begin, seconds_left, jobs = time.monotonic(), float(os.environ.get("SECONDS_LEFT", 3600)), int(os.environ.get("JOBS", 5))
explored_by, end = begin + 0.72 * seconds_left, begin + seconds_left
apart = os.environ.get("APART") == "1"
trials = os.environ.get("TRIALS", "5 100").split()
least_seconds = 30     # with less left no task is begun
gpu_gigabytes = 120    # that the tasks at work on a GPU may need together
worker_gigabytes = 50  # a worker keeps input sets and references in at most a third of the card's memory
folder = pathlib.Path(tempfile.mkdtemp()) / "kernelbench"  # what RESULTS gets as one file


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
    """Its exit status; None: it took too long and was ended, with all that it had started."""
    with open(log, "a") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
                                   env={**os.environ, **variables})
        try:
            return process.wait(max(1, seconds))
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
        self.cost = kernelbench_judge.cost_of(file)
        gigabytes = self.cost.bytes * 12 / 1e9  # tensors, and for a few input sets their references and bounds in f64
        self.gigabytes = min(worker_gigabytes, max(2, gigabytes)) if self.device.startswith("cuda") else 0

    def record(self):
        tasks = (read(self.folder / "results.json") or {}).get("tasks") or [{}]
        return tasks[0]

    def verdict(self):
        return read(self.folder / "judged.json")

    def explore(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        workspace = self.folder / "workspace"
        command = [cli, "kernelbench", kernelbench, "--level", str(level), "--task", str(self.number), "--device", self.device, "--budget",
                   budget, "--minutes", f"{task_seconds / 60:.3f}", "--candidate-seconds", "20", "--workers", "1", "--yes", "-o", self.folder,
                   "--workspace", workspace]
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
        command = [sys.executable, kernelbench_judge.__file__, kernelbench, self.file, self.folder / self.record()["solution"], self.device,
                   *trials, self.folder / "judged.json"]
        status = run(command, self.folder / "log.txt", min(task_seconds + 60, end - time.monotonic()))
        return "judging took too long" if status is None else ""

    def wants(self, step):
        """Whether the step, explore or judge, is still to be done."""
        explored = bool(self.record().get("outcome", "unexplored") != "unexplored")
        return not explored if step == "explore" else bool(self.record().get("solution")) and not self.verdict()

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
    record, verdict = task.record(), task.verdict() or {}
    times = [f"{verdict[k]:9.3f}" if verdict.get(k, -1) > 0 else f"{'-':>9}" for k in ("kernel_ms", "eager_ms", "compile_ms")]
    correct = {True: "correct" if verdict.get("by_kernel") else "unused", False: "WRONG"}.get(verdict.get("correct"), "-")
    why = what or verdict.get("why") or record.get("why_not") or record.get("why") or record.get("title", "")
    return (f"{task.number:4} {task.file.stem.split('_', 1)[1][:36]:36} {record.get('spec', '-'):11} {record.get('outcome', '-'):13} "
            f"{record.get('accepted', 0):4} {correct:8} {' '.join(times)} {seconds:6.1f}  {why[:110]}")


def table(tasks, rows):
    verdicts = [v for v in (t.verdict() for t in tasks) if v]
    records = [r for r in (t.record() for t in tasks) if r]
    lines = [f"{'no.':>4} {'task':36} {'spec':11} {'explored':13} {'acc.':4} {'judged':8} {'ms':>9} {'eager':>9} {'compile':>9} {'s':>6}", *rows, ""]
    lines.append("unused: the solution left the task's inputs to the task's own module")
    lines.append(f"{len(tasks)} tasks; {len(records)} begun, {sum(r.get('spec') == 'equal' for r in records)} imported and equal, "
                 f"{sum(r.get('outcome') == 'correct' for r in records)} with an accepted candidate, {len(verdicts)} judged by KernelBench, "
                 f"{sum(v.get('correct') is True for v in verdicts)} correct, of these {sum(bool(v.get('by_kernel')) for v in verdicts)} by a kernel")
    for name in ("eager", "compile"):
        lines.append(f"against {name}: {kernelbench_judge.scores(verdicts, name + '_ms')}")
    return "\n".join(lines) + "\n"


def keep(head, tasks, rows):
    (results / "kernelbench.txt").write_text(head + table(tasks, rows))
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
    tasks = [Task(f) for f in (kernelbench / "KernelBench" / f"level{level}").glob("*.py")]
    tasks.sort(key=lambda t: (t.cost.seconds, t.number))
    for i, task in enumerate(tasks):
        task.device = devices[i % len(devices)]
    head = (f"# {time.strftime('%Y-%m-%d', time.gmtime())}, {len(devices)} x {kernelbench_judge.machine(devices[0])}\n"
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
