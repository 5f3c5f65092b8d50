#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A scripted newcomer: from an empty home to a signed receipt, in the real window, with mouse and keyboard alone.

usage: newcomer.py BIN_FOLDER [PICTURES] [--runs N]      (BIN_FOLDER: build/release/bin)

Starts warpwright under an Xvfb and a window manager of its own, 1280x800, with a fresh HOME. The window is read through
the accessibility bus, as a screen reader would read it, and is only ever driven by xdotool's mouse and keyboard.
What is pressed is what the screen offers: a button, a tab or a key that a menu or a button names.

Needs Xvfb, openbox, xdotool, dbus-daemon, at-spi2-core, python3-pyatspi (for the system's Python), pdftotext and
ImageMagick's import (pictures). Prints the steps with seconds and gestures (clicks, keys, a text typed, a scroll);
exits with 1 where a step fails.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SENTENCE = "layernorm followed by gelu over 512x1024 float"
WRONG_ELEMENTS = r"^\d+ of \d+ elements? (?:is|are) wrong"  # with or without a pattern
WRONG = ("y_pack.v[j] = 0.5f", "y_pack.v[j] = (j == 3 ? 0.6f : 0.5f)")  # wrong in every fourth column


class Desk:
    """Display, window manager, buses and home of one run; ends what it started."""

    def __init__(self, folder):
        self.started = []
        self.environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=f"{folder}/run", QT_QPA_PLATFORM="xcb",
                                QT_LINUX_ACCESSIBILITY_ALWAYS_ON="1", WARPWRIGHT_RESOURCES=f"{ROOT}/resources")
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "WARPWRIGHT_WORKSPACE", "WARPWRIGHT_CONFIG"):
            self.environment.pop(name, None)
        os.mkdir(f"{folder}/run", 0o700)
        display = self.telling(lambda fd: ["Xvfb", "-displayfd", str(fd), "-screen", "0", "1280x800x24"])
        self.environment["DISPLAY"] = f":{display}"
        bus = self.telling(lambda fd: ["dbus-daemon", "--session", "--nofork", f"--print-address={fd}"])
        self.environment["DBUS_SESSION_BUS_ADDRESS"] = bus
        self.start(["openbox"])

    def telling(self, command):
        """Starts a program that writes one line to a descriptor once it is ready; that line."""
        read, write = os.pipe()
        self.start(command(write), pass_fds=[write])
        os.close(write)
        with os.fdopen(read) as f:
            return f.readline().strip()

    def start(self, command, **more):
        self.started.append(subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL,
                                             stderr=subprocess.DEVNULL, **more))
        return self.started[-1]

    def end(self):
        for process in reversed(self.started):
            process.terminate()
            process.wait()


class Newcomer:
    """Looks at the window (accessibility bus) and moves its mouse and keyboard (xdotool)."""

    def __init__(self, desk, pictures):
        self.desk, self.pictures, self.steps, self.gestures = desk, pictures, [], 0
        import pyatspi  # connects to the bus that the environment names
        self.atspi = pyatspi

    def xdotool(self, *words):
        subprocess.run(["xdotool", *map(str, words)], env=self.desk.environment, check=True)

    # Looking.

    def all(self, role=None, name=None):
        """What is shown, with roles and names that match, as (accessible, name, box)."""
        found = []

        def visit(at, depth):
            try:
                if depth > 1 and not at.getState().contains(self.atspi.STATE_SHOWING):
                    return
                text = at.name or ""
                if (role is None or at.getRoleName() == role) and (name is None or re.search(name, text)):
                    box = at.queryComponent().getExtents(self.atspi.DESKTOP_COORDS)
                    found.append((at, text, (box.x, box.y, box.width, box.height)))
                if at.getRoleName() != "table":
                    for child in at:
                        if child is not None:
                            visit(child, depth + 1)
            except (LookupError, NotImplementedError, RuntimeError, self.gone()):
                pass

        for application in self.atspi.Registry.getDesktop(0):
            if application is not None and application.name == "warpwright":
                visit(application, 0)
        return found

    def gone(self):
        from gi.repository import GLib
        return GLib.Error

    def find(self, role, name, limit=20.0):
        return self.until(lambda: next(iter(self.all(role, name)), None), f"{role} {name!r}", limit)

    def until(self, look, what, limit=20.0):
        end = time.monotonic() + limit
        while time.monotonic() < end:
            seen = look()
            if seen:
                return seen
            time.sleep(0.05)
        raise RuntimeError(f"not seen within {limit:.0f} s: {what}")

    def enabled(self, role, name, limit=20.0):
        def look():
            for one in self.all(role, name):
                state = one[0].getState()
                if state.contains(self.atspi.STATE_SENSITIVE) and state.contains(self.atspi.STATE_ENABLED):
                    return one
            return None
        return self.until(look, f"{role} {name!r}, enabled", limit)

    def cell(self, row, header):
        """Name and box of a cell of the table of candidates."""
        table = self.find("table", "^Candidates of the run$")[0].queryTable()
        for column in range(table.nColumns):
            if (table.getColumnHeader(column).name or "") == header:
                at = table.getAccessibleAt(row, column)
                box = at.queryComponent().getExtents(self.atspi.DESKTOP_COORDS)
                return at.name, (box.x, box.y, box.width, box.height)
        raise RuntimeError(f"no column {header!r}")

    # Acting.

    def press(self, *keys):
        self.gestures += 1
        self.xdotool("key", "--delay", 20, *keys)

    def type(self, text):
        self.gestures += 1
        self.xdotool("type", "--delay", 12, text)

    def click_at(self, box, button=1):
        self.gestures += 1
        self.xdotool("mousemove", box[0] + box[2] // 2, box[1] + box[3] // 2, "click", button)

    def click(self, role, name):
        self.click_at(self.enabled(role, name)[2])

    def scroll_into(self, role, name, area):
        """Turns the wheel over an area until the widget lies inside it."""
        left, top, width, height = area
        turned = False
        for _ in range(200):
            _, _, box = self.find(role, name)
            if top <= box[1] and box[1] + box[3] <= top + height:
                break
            turned = True
            self.xdotool("mousemove", left + width - 30, top + height // 2,
                         "click", "--repeat", 3, "--delay", 5, 5 if box[1] > top else 4)
        else:
            raise RuntimeError(f"cannot be scrolled to: {role} {name!r}")
        self.gestures += turned
        return box

    def step(self, title, work):
        begin, self.gestures = time.monotonic(), 0
        told = work() or ""
        seconds = time.monotonic() - begin
        self.steps.append((title, seconds, self.gestures, told))
        print(f"  {len(self.steps):2} {title:44} {seconds:6.2f} s  {self.gestures:3} gestures  {told}", flush=True)
        if self.pictures:
            time.sleep(0.3)  # the picture is of the window at rest
            slug = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")
            file = f"{self.pictures}/{len(self.steps):02}-{slug}.png"
            subprocess.run(["import", "-window", "root", file], env=self.desk.environment, check=True)


def proved(n):
    """How many candidates the status bar calls proved: "4 of 5 candidates proved"."""
    texts = " | ".join(name for _, name, _ in n.all("label"))
    found = re.search(r"(\d+) of \d+ candidates? proved", texts)
    return int(found.group(1)) if found else 0


def skip_tour(n):
    n.find("label", "^Which operation")
    n.click("push button", "^Watch the tour$")
    n.find("push button", "^Next$", 30)
    n.click("push button", "^Skip$")
    n.find("text", "^Which operation")
    return "the page is as it was"


def first_result(n):
    n.find("text", "^Which operation")
    n.type(SENTENCE)
    entered = time.monotonic()
    n.press("Return")
    n.until(lambda: proved(n) >= 1, "a proved candidate", 120)
    return f"{time.monotonic() - entered:.2f} s of them after Return"


def whole_run(n):
    n.enabled("push button", "^Run$", 900)
    shape = {name: n.find("spin button", f"Shape symbol {name}")[0].queryValue().currentValue for name in "RC"}
    if (shape["R"], shape["C"]) != (512, 1024):
        raise RuntimeError(f"the form holds {shape}")
    n.click("page tab", "^Verdict$")
    verdict, case = n.cell(0, "Proved")[0], n.find("label", "^Evidence of the stage$")[0].queryText().getText(0, -1)
    return f"{proved(n)} proved; best: {verdict}; {' '.join(case.split()[:8])}"


def fail_an_edit(n):
    n.click_at(n.cell(0, "Candidate")[1])
    n.click("page tab", "^Code$")
    n.click("push button", "^Edit a copy$")
    n.find("push button", r"\(F5\)")
    n.press("ctrl+f")
    n.type(WRONG[0])
    n.press("Escape")  # the match stays selected
    n.type(WRONG[1])
    n.press("F5")
    return n.find("label", "^Rejected", 60)[1]


def heat_map(n):
    n.click("push button", "^Show the verdict$")
    n.click("push button", "^Show wrong elements$")
    said = n.find("label", WRONG_ELEMENTS, 30)[1]
    return f"{said} {n.find('label', 'was last written by thread')[1]}"


def compare(n):
    n.press("Escape")
    n.until(lambda: not n.all("label", WRONG_ELEMENTS), "the dialog closed")
    table = n.find("table", "^Candidates of the run$")[2]
    n.xdotool("mousemove", table[0] + 200, table[1] + 100, "click", "--repeat", 30, "--delay", 10, 4)
    time.sleep(0.2)
    rows = (0, 2, 4)
    for index, row in enumerate(rows):
        n.xdotool(*(["keydown", "ctrl"] if index else ["keyup", "ctrl"]))
        n.click_at(n.cell(row, "Candidate")[1])
    n.xdotool("keyup", "ctrl")
    n.press("space")  # named in the menu of the table
    n.until(lambda: len(n.all(name=r"^[A-C], #\d")) == 3, "three candidates in the comparison")
    numbers = [n.cell(row, "Number")[0] for row in rows]
    n.click("check box", "^Workspace Profile$")
    n.find("check box", "^Speed of light$", 30)
    return "numbers " + ", ".join(re.sub(r"\D", "", number) for number in numbers)


def sign(n):
    n.click("check box", "^Workspace Review$")
    n.click("text", "^Reviewer's name$")
    n.type("Ada")
    for cell in [box for _, name, box in n.all("table cell", ".") if box[2] > 0]:
        if cell[0] < n.find("table column header", "^Result$")[2][0]:
            n.click_at(cell)  # a stage of the gate
    questions = [name[6:] for _, name, _ in n.all("check box", "^Open: ")]
    area = n.find("filler", "^Questions of the review$")[2]
    for question in questions:
        name = re.escape(question)
        if n.all("check box", f"^Open: {name}$"):
            n.click_at(n.scroll_into("check box", f"^Open: {name}$", area))
        n.until(lambda: n.all("check box", f"^Answer: {name}$"), question)
        n.scroll_into("check box", f"^Answer: {name}$", area)
        n.enabled("check box", f"^Answer: {name}$")
        time.sleep(0.1)  # the hint above it goes away
        n.click_at(n.scroll_into("check box", f"^Answer: {name}$", area))
        n.until(lambda: all(at.getState().contains(n.atspi.STATE_CHECKED)  # or closed, and the next one open
                            for at, _, _ in n.all("check box", f"^Answer: {name}$")), f"answered: {question}")
    n.click("push button", "^Sign$")
    n.click("page tab", "^Receipt$")
    return n.find("label", "^The receipt is genuine", 60)[1] + f" ({len(questions)} questions)"


def export(n, folder, programs):
    n.click("push button", "^Export the receipt$")
    n.press("Down", "Down", "Down", "Return")  # JSON, Markdown, PDF
    n.find("dialog", ".", 10)
    n.press("ctrl+a")
    n.type(f"{folder}/receipt.pdf")
    n.press("Return")
    n.until(lambda: os.path.exists(f"{folder}/receipt.pdf") and os.path.getsize(f"{folder}/receipt.pdf"), "the PDF")
    text = subprocess.run(["pdftotext", "-layout", f"{folder}/receipt.pdf", "-"], capture_output=True, text=True).stdout
    for wanted in ("layernorm_gelu", "Ada", "512", "1024"):
        if wanted not in text:
            raise RuntimeError(f"the PDF does not name {wanted!r}")
    return f"{len(text.split())} words in the PDF"


def read_back(n, folder, programs):
    n.click("push button", "^Export the receipt$")
    n.press("Down", "Return")
    n.find("dialog", ".", 10)
    n.press("ctrl+a")
    n.type(f"{folder}/receipt.json")
    n.press("Return")
    n.until(lambda: os.path.exists(f"{folder}/receipt.json"), "the signed file")
    said = []
    for file, wanted in (("json", 0), ("pdf", 1)):
        r = subprocess.run([f"{programs}/warpwright-cli", "receipt", "verify", f"{folder}/receipt.{file}"],
                           env=n.desk.environment, capture_output=True, text=True)
        if bool(r.returncode) != bool(wanted):
            raise RuntimeError(f"receipt verify of the {file}: {r.returncode}, {r.stdout} {r.stderr}")
        said.append(f"{file}: {((r.stdout or r.stderr).strip().splitlines() or [''])[0]}")
    return "; ".join(said)


def one_run(programs, pictures):
    with tempfile.TemporaryDirectory() as folder:
        desk = Desk(folder)
        try:
            os.environ.update(desk.environment)
            begin = time.monotonic()
            window = desk.start([f"{programs}/warpwright"])
            n = Newcomer(desk, pictures)
            steps = [("Open the window", lambda: n.find("text", "^Which operation", 30)[1]),
                     ("Look at the tour and leave it", lambda: skip_tour(n)),
                     ("Sentence to the first proved candidate", lambda: first_result(n)),
                     ("Until the run ends", lambda: whole_run(n)),
                     ("A wrong edit fails", lambda: fail_an_edit(n)),
                     ("Heat map of its wrong elements", lambda: heat_map(n)),
                     ("Compare three candidates", lambda: compare(n)),
                     ("Answer the checklist and sign", lambda: sign(n)),
                     ("Export the receipt as PDF", lambda: export(n, folder, programs)),
                     ("Read the receipt back", lambda: read_back(n, folder, programs))]
            for title, work in steps:
                try:
                    n.step(title, work)
                except (RuntimeError, LookupError, n.gone()) as error:
                    if pictures:
                        subprocess.run(["import", "-window", "root", f"{pictures}/failed.png"], env=desk.environment)
                    print(f"failed: {title}: {error}" + ("" if window.poll() is None else "; the window has ended"))
                    sys.exit(1)
            print(f"  in all {time.monotonic() - begin:.1f} s")
            return n.steps
        finally:
            desk.end()


def main():
    words = sys.argv[1:]
    runs = int(words.pop(words.index("--runs") + 1)) if "--runs" in words else 1
    words = [w for w in words if w != "--runs"]
    if not 1 <= len(words) <= 2 or runs < 1:
        sys.exit(__doc__)
    pictures = words[1] if len(words) == 2 else None
    if pictures:
        os.makedirs(pictures, exist_ok=True)
    programs, results = os.path.abspath(words[0]), []
    for index in range(runs):
        print(f"run {index + 1} of {runs}", flush=True)
        with ProcessPoolExecutor(1, get_context("spawn")) as fresh:  # a process knows one accessibility bus
            results.append(fresh.submit(one_run, programs, pictures if index + 1 == runs else None).result())
    if runs == 1:
        return
    print(f"medians of {runs} runs, on {os.cpu_count()} processors")
    for index, (title, _, gestures, _) in enumerate(results[0]):
        print(f"  {index + 1:2} {title:44} {statistics.median(r[index][1] for r in results):6.2f} s"
              f"  {gestures:3} gestures")
    print(f"     {'all':44} {statistics.median(sum(step[1] for step in r) for r in results):6.2f} s"
          f"  {sum(step[2] for step in results[0]):3} gestures")


if __name__ == "__main__":
    main()
