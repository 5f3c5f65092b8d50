#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Kills the command line, the worker and the window with SIGKILL at random moments while they explore, accept, import
# and export. After each kill: the workspace is sound, holds all that was reported, opens, and what was interrupted can
# be done again to its end; nothing is signed twice, no process and no temporary file is left.
#   kills.py BUILD [--rounds N] [--seed N] [--only PROGRAM]     N kills of a program, spread over its actions; by default of
#                                                               the command line and of the worker
import argparse, atexit, collections, hashlib, json, os, random, re, shutil, signal, sqlite3, subprocess, sys, tempfile, time

options = argparse.ArgumentParser()
options.add_argument("build")
options.add_argument("--rounds", type=int, default=100)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--only", choices=["cli", "worker", "window"])
options = options.parse_args()
bin_folder = os.path.join(os.path.realpath(options.build), "bin")
cli, hand = os.path.join(bin_folder, "warpwright-cli"), os.path.join(bin_folder, "window_hand")
root = tempfile.mkdtemp(prefix="kills_")
temporary = os.path.join(root, "tmp")
os.mkdir(temporary)
environment = dict(os.environ, HOME=root, XDG_DATA_HOME=root, XDG_CONFIG_HOME=root, XDG_CACHE_HOME=root, TMPDIR=temporary,
                   WARPWRIGHT_CONFIG=os.path.join(root, "config"), WARPWRIGHT_CACHE=os.path.join(root, "cache"),
                   QT_QPA_PLATFORM="offscreen", QT_LOGGING_RULES="*=false")
display = None
if options.only == "window" and shutil.which("Xvfb"):  # without it, offscreen
    ready, write = os.pipe()
    display = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24"], pass_fds=[write],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    environment.update(DISPLAY=":" + os.read(ready, 16).decode().strip(), QT_QPA_PLATFORM="xcb")
    atexit.register(display.kill)
sentence, judged_line = "relu over 32x64 floats", re.compile(r"^ *(\d+)  (proved|rejected|duplicate|not judged)\b", re.M)
answers = [word for item in ("spec", "evidence", "findings", "lines", "diff", "limits") for word in ("--answer", item + "=yes")]
patience = 180  # seconds, for what must end by itself


def run(*words, workspace):
    return subprocess.run([cli, *words, "--workspace", workspace], env=environment, capture_output=True, text=True, timeout=patience)


def rows(workspace, sql):
    path = os.path.join(workspace, "workspace.sqlite")
    if not os.path.exists(path):
        return []
    db = sqlite3.connect(path, timeout=20)
    try:
        return db.execute(sql).fetchall()
    except sqlite3.OperationalError as error:
        if "no such table" in str(error):  # it was killed before the first transaction
            return []
        raise
    finally:
        db.close()


def family(pid):
    """The process and what it started, with the time at which each began."""
    found = {}
    try:
        with open(f"/proc/{pid}/stat") as stat:
            found[pid] = stat.read().rsplit(")", 1)[1].split()[19]
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children") as children:
                for child in children.read().split():
                    found.update(family(int(child)))
    except (OSError, IndexError):
        pass
    return found


def lives(pid, began):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
        return fields[19] == began and fields[0] != "Z"
    except (OSError, IndexError):
        return False


def left_over(workspace, *more):
    """Temporary files of ours in the folders that the programs write to."""
    found = [os.path.join(temporary, name) for name in os.listdir(temporary) if name.startswith("warpwright")]
    for folder in (workspace, os.path.join(root, "config"), *more):
        for path, _, names in os.walk(folder):
            found += [os.path.join(path, name) for name in names if re.search(r"\.tmp[0-9a-f]{16}", name)]
    return found


def unsound(workspace):
    problems = []
    if rows(workspace, "PRAGMA integrity_check") not in ([], [("ok",)]):
        problems.append("integrity")
    if rows(workspace, "PRAGMA foreign_key_check"):
        problems.append("foreign keys")
    for (ptx,) in rows(workspace, "SELECT DISTINCT ptx FROM verdict WHERE ptx <> ''"):
        try:
            with open(os.path.join(workspace, "blobs", ptx[:2], ptx), "rb") as blob:
                if hashlib.blake2b(blob.read(), digest_size=32).hexdigest() != ptx:
                    problems.append("a damaged blob")
        except OSError:
            problems.append("a missing blob")
    return problems


class Task:
    """One action in one workspace: how it is begun, what must hold after a death, and how it is done again."""
    action = ""

    def __init__(self, number):
        self.workspace = os.path.join(root, f"{self.action}{number}")
        self.settings = self.workspace + ".ini"

    def words(self, program):
        if program == "window":
            return [hand, self.action, self.workspace, self.settings, self.what]
        return [cli, *self.cli_words(), "--workspace", self.workspace]

    def before(self):
        return {table: len(rows(self.workspace, f"SELECT id FROM {table}")) for table in ("run", "candidate", "verdict", "review")}


class Explore(Task):
    action, what = "explore", sentence

    def cli_words(self):
        return ["explore", sentence, "--budget", "4", "--seeds", "2", "--workers", "1"]

    def lost(self, said):
        known = dict(rows(self.workspace, "SELECT id, state FROM candidate"))
        word = {"proved": "accepted"}  # as the record has it
        return [f"candidate {n} was reported {state}, is {known.get(int(n))}" for n, state in judged_line.findall(said)
                if known.get(int(n)) != word.get(state, state)]

    def again(self):
        if rows(self.workspace, "SELECT id FROM run"):
            done = run("explore", "--resume", "last", workspace=self.workspace)
        else:
            done = run(*self.cli_words(), workspace=self.workspace)
        problems = [] if done.returncode == 0 else [f"resuming ended with {done.returncode}: {done.stderr[-300:]}"]
        return problems + self.complete()

    def complete(self):
        problems = []
        states = collections.Counter(state for (state,) in rows(self.workspace, "SELECT state FROM candidate"))
        if states["accepted"] + states["rejected"] < 4 or states["not judged"] or states["judging"]:
            problems.append(f"after it was resumed: {dict(states)}")
        if rows(self.workspace, "SELECT candidate FROM verdict GROUP BY candidate HAVING count(*) > 1"):
            problems.append("a candidate has two verdicts")
        if rows(self.workspace, "SELECT state FROM run WHERE state <> 'done'"):
            problems.append("the run is not done")
        return problems


class Accept(Task):
    action = "accept"

    def __init__(self, number):
        super().__init__(number)
        shutil.copytree(base, self.workspace)
        self.what = str(best)

    def cli_words(self):
        return ["accept", self.what, "--reviewer", "Ada", *answers]

    def signed(self):
        return rows(self.workspace, "SELECT receipt FROM review WHERE kind = 'accepted'")

    def lost(self, said):
        return ["an acceptance that was reported"] if "is signed by" in said and not self.signed() else []

    def again(self):
        first = self.signed()
        done = run(*self.cli_words(), workspace=self.workspace)
        problems = []
        if first and (done.returncode == 0 or self.signed() != first):
            problems.append("it was signed twice")
        if not first and done.returncode != 0:
            problems.append(f"accepting again ended with {done.returncode}: {done.stderr[-300:]}")
        return problems + self.complete()

    def complete(self):
        if len(self.signed()) != 1:
            return [f"{len(self.signed())} acceptances"]
        receipt = self.workspace + ".receipt"
        with open(receipt, "w", encoding="utf-8") as file:
            file.write(self.signed()[0][0])
        verified = run("receipt", "verify", receipt, workspace=self.workspace)
        return [] if verified.returncode == 0 else ["the receipt does not hold: " + verified.stdout[-300:]]


class Import(Task):
    action = "import"

    def __init__(self, number):
        super().__init__(number)
        self.filled = number % 2 == 0
        if self.filled:
            shutil.copytree(base, self.workspace)
        self.what = bundle

    def cli_words(self):
        return ["bundle", "import", bundle]

    def candidates(self):
        return len(rows(self.workspace, "SELECT id FROM candidate")) - (base_candidates if self.filled else 0)

    def lost(self, said):
        problems = ["an import that was reported"] if ("done" in said or "was added" in said) and not self.candidates() else []
        return problems + ([f"{self.candidates()} of {base_candidates} candidates"] if self.candidates() not in (0, base_candidates) else [])

    def again(self):
        whole = self.candidates() == base_candidates
        done = run(*self.cli_words(), workspace=self.workspace)
        problems = [] if (done.returncode == 0) != whole else [f"importing again ended with {done.returncode}: {done.stderr[-300:]}"]
        return problems + self.complete()

    def complete(self):
        return [] if self.candidates() == base_candidates else [f"{self.candidates()} of {base_candidates} candidates"]


class Export(Task):
    action = "export"

    def __init__(self, number):
        super().__init__(number)
        shutil.copytree(base, self.workspace)
        os.mkdir(self.workspace + ".out")
        self.what = os.path.join(self.workspace + ".out", "a.wwb")
        if number % 2 == 0:  # over an earlier one
            shutil.copy(bundle, self.what)
        self.had = number % 2 == 0

    def cli_words(self):
        return ["bundle", "export", self.what, "--force"]

    def lost(self, said):
        if not os.path.exists(self.what):
            return ["the earlier bundle"] if self.had else ["an export that was reported"] if "done" in said or "opens it anywhere" in said else []
        return self.complete()

    def again(self):
        done = run(*self.cli_words(), workspace=self.workspace)
        return ([] if done.returncode == 0 else [f"exporting again ended with {done.returncode}: {done.stderr[-300:]}"]) + self.complete()

    def complete(self):
        other = tempfile.mkdtemp(dir=root)
        done = run("bundle", "import", self.what, workspace=other)
        whole = len(rows(other, "SELECT id FROM candidate")) == base_candidates
        shutil.rmtree(other)
        return [] if done.returncode == 0 and whole else ["the bundle is not whole: " + done.stderr[-300:]]


def start(task, program):
    """The window is started when it is up and its action has begun."""
    out = open(task.workspace + ".said", "w+b")
    process = subprocess.Popen(task.words(program), env=environment, stdout=out, stderr=out, stdin=subprocess.DEVNULL)
    while program == "window" and process.poll() is None and "begun" not in said_in(out):
        time.sleep(0.002)
    return process, out


def said_in(out):
    with open(out.name, "rb") as file:
        return file.read().decode(errors="replace")


def ended(process, out, until):
    """A command line ends; the window has done it when it says so."""
    return process.poll() is not None or (until == "window" and re.search(r"^(done|problem)", said_in(out), re.M))


def usual_time(task, program):
    process, out = start(task, program)
    begun = time.monotonic()
    while not ended(process, out, program) and time.monotonic() - begun < patience:
        time.sleep(0.01)
    took = time.monotonic() - begun
    if program == "window":
        process.kill()
    process.wait()
    if problems := task.complete():
        sys.exit(f"{program} cannot {task.action}: {problems} {said_in(out)}; see {root}")
    return took


def kill_worker(process, moment):
    """One of the processes that are a worker, at that moment or as soon as there is one."""
    time.sleep(moment)
    while process.poll() is None:
        workers = [pid for pid in family(process.pid) if pid != process.pid]
        if workers:
            try:
                os.kill(random.choice(workers), signal.SIGKILL)
                return True
            except ProcessLookupError:
                pass
        time.sleep(0.002)
    return False


def one(program, kind, number, took):
    task = kind(number)
    before = task.before()
    process, out = start(task, program)
    moment = random.uniform(0 if program == "window" else 0.1, 1.0) * took
    problems, stored = [], before
    if program == "worker":
        hit = kill_worker(process, moment)
        process.wait(patience)
        if process.returncode != 0:
            problems.append(f"it ended with {process.returncode}: {said_in(out)[-300:]}")
        problems += task.complete()
    else:
        time.sleep(moment)
        hit, stored, relatives = process.poll() is None, task.before(), family(process.pid)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 20
        while any(lives(*r) for r in relatives.items()) and time.monotonic() < deadline:
            time.sleep(0.01)
        problems += [f"process {r[0]} lives on" for r in relatives.items() if lives(*r)]
    now = task.before()
    problems += [f"{table}: {stored[table]} became {now[table]}" for table in now if now[table] < stored[table]]
    problems += unsound(task.workspace) + task.lost(said_in(out))
    if program != "worker":
        problems += task.again()
    if left := left_over(task.workspace, task.workspace + ".out"):
        problems.append("left: " + ", ".join(os.path.basename(name) for name in left))
    problems += unsound(task.workspace)
    if run("list", "candidates", "--run", "last", workspace=task.workspace).returncode != 0:
        problems.append("it cannot be listed")
    out.close()
    if not problems:
        for path in (task.workspace, task.workspace + ".out"):
            shutil.rmtree(path, ignore_errors=True)
    return hit, moment, problems


# What is accepted, exported and imported.
random.seed(options.seed)
base, bundle = os.path.join(root, "base"), os.path.join(root, "base.wwb")
if run("explore", sentence, "--budget", "6", "--seeds", "2", "--workers", "1", workspace=base).returncode != 0:
    sys.exit("the first run failed")
best = rows(base, "SELECT id FROM candidate WHERE state = 'accepted' ORDER BY score LIMIT 1")[0][0]
base_candidates = len(rows(base, "SELECT id FROM candidate"))
if run("bundle", "export", bundle, workspace=base).returncode != 0:
    sys.exit("the first export failed")
actions = {"cli": [Explore, Accept, Import, Export], "worker": [Explore, Accept], "window": [Explore, Accept, Import, Export]}
failures, counts, number = [], collections.Counter(), 1000
for program in [options.only] if options.only else ["cli", "worker"]:
    took = {kind: usual_time(kind(number := number + 1), program) for kind in actions[program]}
    turn = 0
    while sum(n for (p, _), n in counts.items() if p == program) < options.rounds:
        kind = actions[program][turn % len(actions[program])]
        turn += 1
        hit, moment, problems = one(program, kind, turn, took[kind])
        if hit:
            counts[program, kind.action] += 1
        if problems:
            failures.append((program, kind.action, turn))
        print(f"{program:<7} {kind.action:<8} {'killed' if hit else 'ended '} at {moment:6.2f} of {took[kind]:5.2f} s  {'; '.join(problems) or 'ok'}", flush=True)
for (program, action), count in counts.items():
    print(f"{count:>4} kills of the {program} while it was to {action}")
print(f"{sum(counts.values())} kills, {len(failures)} failures" + (f": {failures}; see {root}" if failures else ""))
if not failures:
    shutil.rmtree(root, ignore_errors=True)
sys.exit(1 if failures else 0)
