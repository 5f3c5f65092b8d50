#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
# Starts the real window offscreen with a run, kills it with SIGKILL at a random moment, opens it again, and checks that nothing that was stored is lost, that the session
# is told and offered, and that nothing goes on by itself.
#   tests/bench/kill_restore.py BUILD [ROUNDS] [SEED]     BUILD: a build folder with bin/warpwright and its worker
import configparser, json, os, random, shutil, signal, sqlite3, subprocess, sys, tempfile, time

build = os.path.realpath(sys.argv[1])
rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 100
random.seed(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
program = os.path.join(build, "bin", "warpwright")
folder = tempfile.mkdtemp(prefix="kill_restore_")
env = dict(os.environ, QT_QPA_PLATFORM="offscreen", WARPWRIGHT_CACHE=os.path.join(folder, "cache"), HOME=folder, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder, QT_LOGGING_RULES="*=false")

def store(workspace):
    """What the database has now: integrity, rows of what a person would miss, runs."""
    path = os.path.join(workspace, "workspace.sqlite")
    if not os.path.exists(path):
        return {"integrity": "ok", "candidate": 0, "verdict": 0, "message": 0, "run": 0, "runs": {}}
    db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=20)
    try:
        found = {"integrity": "ok"}
        for table in ("candidate", "verdict", "message", "run"):
            found[table] = db.execute(f"select count(*) from {table}").fetchone()[0]
        found["runs"] = dict(db.execute("select id, state from run"))
        return found
    except sqlite3.OperationalError as error:  # the schema is being made
        return {"integrity": str(error), "candidate": 0, "verdict": 0, "message": 0, "run": 0, "runs": {}}
    finally:
        db.close()

def integrity(workspace):
    path = os.path.join(workspace, "workspace.sqlite")
    if not os.path.exists(path):
        return "ok"
    db = sqlite3.connect(path, timeout=20)
    try:
        return db.execute("pragma integrity_check").fetchone()[0]
    finally:
        db.close()

def settings_of(path):
    """The texts as the settings file has them; None when there is no file yet."""
    if not os.path.exists(path):
        return None
    parser = configparser.RawConfigParser(strict=False, delimiters=("=",))
    parser.optionxform = str
    with open(path, encoding="utf-8", errors="strict") as file:
        parser.read_file(file)
    return {section: dict(parser[section]) for section in parser.sections()}

print(f"{'round':>5} {'killed at':>10} {'run':>4} {'stored':>16} {'after':>16} {'integrity':>9} {'offered':>8} {'by itself':>9} {'texts':>6}  result")
failures, workspace, settings, lived = [], None, None, 0
for number in range(1, rounds + 1):
    if workspace is None or number % 10 == 1:   # a workspace and its settings live through ten deaths
        workspace, settings = os.path.join(folder, f"w{number}"), os.path.join(folder, f"s{number}.ini")
    sentence = f"relu over {random.choice([32, 64, 128])}x{random.choice([64, 128, 256])} floats"
    window = subprocess.Popen([program, "--workspace", workspace, "--settings", settings, "--explore", sentence], env=env,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    before = store(workspace)["run"]
    begun = time.monotonic()
    if random.random() < 0.85:                  # most deaths are during a run, some before it has begun
        while store(workspace)["run"] == before and time.monotonic() - begun < 60 and window.poll() is None:
            time.sleep(0.02)
        wanted, since = store(workspace)["verdict"] + random.choice([0, 0, 1, 2, 4, 8]), time.monotonic()
        while store(workspace)["verdict"] < wanted and time.monotonic() - since < 20 and window.poll() is None:
            time.sleep(0.02)
    time.sleep(random.random() * 1.5)
    stored, texts = store(workspace), settings_of(settings)
    early = window.poll() is not None
    window.send_signal(signal.SIGKILL)
    window.wait()
    at = time.monotonic() - begun
    time.sleep(0.3)                             # its workers end with it
    sound = integrity(workspace)
    dead = store(workspace)
    report = os.path.join(folder, "report.json")
    if os.path.exists(report):
        os.remove(report)
    again = subprocess.run([program, "--settings", settings, "--workspace", workspace, "--report", report], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=180)
    shown = json.load(open(report)) if os.path.exists(report) else {}
    after = store(workspace)
    problems = []
    if early: problems.append("the window ended before it was killed")
    if again.returncode != 0 or not shown: problems.append(f"does not open again ({again.returncode})")
    if sound != "ok": problems.append(f"integrity: {sound}")
    for table in ("candidate", "verdict", "message", "run"):
        if dead[table] < stored[table] or after[table] < dead[table]: problems.append(f"{table}: {stored[table]}, {dead[table]}, {after[table]}")
    left = [run for run, state in dead["runs"].items() if state == "running"]
    offered = "unexpectedly" in shown.get("notice", "")
    up = bool(texts and texts.get("session", {}).get("process", "0") not in ("0", ""))   # else it died before the window was there
    if up and not offered: problems.append("the end of the session is not told")
    if up and left and not any(f"run {run} " in shown.get("notice", "") for run in left): problems.append(f"run {left} is not offered: {shown.get('notice')}")
    by_itself = bool(shown.get("running")) or after["candidate"] != dead["candidate"] or after["run"] != dead["run"] or after["verdict"] != dead["verdict"]
    if by_itself: problems.append("something went on by itself")
    kept = True
    if texts and "describe" in texts and "sentence" in texts["describe"]:
        kept = shown.get("sentence", "") == texts["describe"]["sentence"].strip('"')
        if not kept: problems.append(f"sentence: {texts['describe']['sentence']} became {shown.get('sentence')}")
    if texts and texts.get("window", {}).get("run", "0") not in ("0", "") and shown.get("run") != int(texts["window"]["run"]):
        problems.append(f"run {texts['window']['run']} was shown, now {shown.get('run')}")
    lived += bool(left)
    cell = lambda s: f"{s['candidate']}c {s['verdict']}v {s['run']}r"
    print(f"{number:>5} {at:>8.2f} s {shown.get('run', 0):>4} {cell(stored):>16} {cell(after):>16} {sound:>9} {('run ' + str(left[-1])) if left and offered else ('told' if offered else 'no' if up else 'not up'):>8} "
          f"{'YES' if by_itself else 'no':>9} {'kept' if kept else 'LOST':>6}  {'; '.join(problems) if problems else 'ok'}", flush=True)
    if problems: failures.append(number)
print(f"{rounds} deaths, {lived} during a run; {len(failures)} failures" + (f": {failures}" if failures else ""))
shutil.rmtree(folder, ignore_errors=True)
sys.exit(1 if failures else 0)
