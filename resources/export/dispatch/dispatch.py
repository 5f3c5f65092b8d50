# SPDX-License-Identifier: Apache-2.0
"""Which of several kernels of one op runs a shape: dispatch.json names, for each, the sizes for which it was explored. It needs Python alone.

    python3 dispatch.py R=512 C=1024      prints the folder of the kernel that these sizes would run; nothing where none claims them
"""
import json
import math
import pathlib

if __package__:
    from .plan import Plan
else:
    from plan import Plan


class Table:
    """`plans` and `folders` of the kernels, the first one's own first. Without dispatch.json there is one kernel."""

    def __init__(self, folder):
        file = folder / "dispatch.json"
        entries = json.loads(file.read_text())["entries"] if file.exists() else [{"folder": ".", "sizes": []}]
        self.folders = [folder / entry["folder"] for entry in entries]
        self.plans = [Plan.load(own / "plan.json") for own in self.folders]
        self.sizes = [entry["sizes"] or [plan.data["sizes"]] for entry, plan in zip(entries, self.plans)]

    def cases(self):
        """The sizes of all kernels, with the numbers of theirs."""
        return [(number, case) for number, sizes in enumerate(self.sizes) for case in sizes]

    def choice(self, symbols):
        """Among the kernels that claim these sizes that with the nearest ones, by the logarithms of their quotients: its number, and the values
        of its plan's names. None where none claims them."""
        best = None
        for number, plan in enumerate(self.plans):
            bound = plan.checked(symbols)
            if not plan.claims(bound):
                continue
            distance = min(sum(math.log(n / case[s]) ** 2 for s, n in zip(plan.symbols, symbols)) for case in self.sizes[number])
            if best is None or distance < best[0]:
                best = distance, number, bound
        return best and best[1:]


if __name__ == "__main__":
    import sys
    table = Table(pathlib.Path(__file__).parent)
    given = dict(table.plans[0].data["sizes"], **{k: int(v) for k, v in (a.split("=") for a in sys.argv[1:])})
    chosen = table.choice([given[s] for s in table.plans[0].symbols])
    if chosen:
        print(table.folders[chosen[0]].relative_to(pathlib.Path(__file__).parent))
