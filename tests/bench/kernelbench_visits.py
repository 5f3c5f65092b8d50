# SPDX-License-Identifier: Apache-2.0
"""kernelbench_visits.py [-o MERGED.tsv] VISIT.tsv ...: the table of KernelBench's tasks after these visits to GPU machines.

gpu_kernelbench.sh writes a visit as a text of one line a task. Of several lines about a task the last counts that KernelBench has judged, else the
last with an accepted candidate, else the last."""
import argparse
import math
import pathlib

COLUMNS = ("level", "number", "name", "spec", "outcome", "accepted", "judged", "by_kernel", "kernel_ms", "eager_ms", "compile_ms", "visit")
TIMES = ("kernel_ms", "eager_ms", "compile_ms")
VERDICTS = ("correct", "incorrect")


def row_of(record, visit):
    """Of one task in a results.json of `warpwright-cli kernelbench`."""
    judged = record.get("judged") or {}
    row = {k: record.get(k) for k in ("level", "number", "name", "spec", "outcome", "accepted")}
    return row | {"judged": judged.get("outcome"), "by_kernel": judged.get("by_kernel"), "visit": visit} | {t: judged.get(t) for t in TIMES}


def text_of(rows):
    def cell(column, value):
        if value is None:
            return "-"
        if column in TIMES:
            return f"{value:.4g}"
        return {True: "yes", False: "no"}[value] if column == "by_kernel" else " ".join(str(value).split())
    return "\n".join("\t".join(cells) for cells in [COLUMNS, *([cell(c, r[c]) for c in COLUMNS] for r in rows)]) + "\n"


def read(text):
    """The rows of a visit; ValueError names a line that is none."""
    lines = text.splitlines()
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise ValueError("the first line does not name the columns")
    rows = []
    for at, line in enumerate(lines[1:], 2):
        try:
            row = dict(zip(COLUMNS, line.split("\t"), strict=True))
            for column in ("level", "number", "accepted"):
                row[column] = int(row[column])
            for column in TIMES:
                row[column] = None if row[column] == "-" else float(row[column])
            row["by_kernel"] = {"yes": True, "no": False, "-": None}[row["by_kernel"]]
            row["judged"] = None if row["judged"] == "-" else row["judged"]
        except (ValueError, KeyError):
            raise ValueError(f"line {at} is no task") from None
        rows.append(row)
    return rows


def merged(visits):
    worth = {}
    for rows in visits:
        for row in rows:
            place = row["level"], row["number"]
            value = (row["judged"] in VERDICTS, row["judged"] is not None, row["outcome"] == "correct")
            if place not in worth or value >= worth[place][0]:
                worth[place] = value, row
    return [worth[place][1] for place in sorted(worth)]


def scores(rows, baseline):
    """In KernelBench's terms: fast_p of those judged, and the geometric mean of the correct ones. Correct ones without times count for nothing."""
    ratios = [r[baseline] / r["kernel_ms"] for r in rows if r["judged"] == "correct" and r["kernel_ms"] and r[baseline]]
    of = len(ratios) + sum(r["judged"] == "incorrect" for r in rows)
    if not of:
        return "nothing was timed"
    fast = ", ".join(f"fast_{p:g} {sum(x > p for x in ratios)}/{of}" for p in (0, 1, 1.5, 2))
    mean = f"{math.exp(sum(map(math.log, ratios)) / len(ratios)):.3f}" if ratios else "-"
    return f"{fast}; geometric mean of the correct {mean}"


def table(rows):
    lines = [f"{'no.':>4} {'task':36} {'spec':11} {'explored':13} {'acc.':>4} {'KernelBench':13} {'ms':>9} {'eager':>9} {'compile':>9}"]
    for r in rows:
        times = " ".join(f"{r[t]:9.3f}" if r[t] else f"{'-':>9}" for t in TIMES)
        verdict = (r["judged"] or "-") + ("*" if r["judged"] == "correct" and r["by_kernel"] is False else "")
        lines.append(f"{r['number']:4} {r['name'][:36]:36} {r['spec']:11} {r['outcome']:13} {r['accepted']:4} {verdict:13} {times}")
    if any("correct*" in line for line in lines):
        lines.append("*: the solution left the task's inputs to the task's own module")
    for level in sorted({r["level"] for r in rows}):
        own = [r for r in rows if r["level"] == level]
        judged = [r for r in own if r["judged"] in VERDICTS]
        correct = [r for r in judged if r["judged"] == "correct"]
        lines += ["", f"level {level}: {len(own)} tasks begun, {sum(r['spec'] == 'equal' for r in own)} imported and equal, "
                  f"{sum(r['outcome'] == 'correct' for r in own)} with an accepted candidate, {len(judged)} judged by KernelBench, "
                  f"{len(correct)} correct, of these {sum(r['by_kernel'] is True for r in correct)} by a kernel"]
        lines += [f"against {name}: {scores(own, name + '_ms')}" for name in ("eager", "compile")]
        lines += [f"not evaluated by KernelBench: {r['number']} {r['name']}" for r in own if r["judged"] not in (None, *VERDICTS)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("-o", type=pathlib.Path, help="writes them as one visit, too")
    parser.add_argument("visit", type=pathlib.Path, nargs="+")
    given = parser.parse_args()
    visits = []
    for file in given.visit:
        try:
            visits.append(read(file.read_text()))
        except (OSError, ValueError) as e:
            parser.error(f"'{file}' cannot be read: {e}")
    rows = merged(visits)
    if given.o:
        given.o.write_text(text_of(rows))
    print(table(rows), end="")


if __name__ == "__main__":
    main()
