# SPDX-License-Identifier: Apache-2.0
"""An agent without a model mends a kernel with three faults by the structured answers of `warpwright-cli mcp` alone.

python3 mcp_agent.py WARPWRIGHT_CLI: writes a transcript. It knows the kernel and how such faults are mended in general,
not what is wrong here: `check` says what and where. The package mcp (version 2 or later) is the client.
"""
import asyncio
import difflib
import json
import os
import re
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

KERNEL = """\
//@ candidate mean
//@ title a block per row
//@ launch run grid(R) block(128) args(x, y, R, C)
extern "C" __global__ void run(const float* x, float* y, int R, int C) {
  __shared__ float part[128];
  float sum = 0;
  for (int c = threadIdx.x; c <= C; c += 128) sum += x[(long long)blockIdx.x * C + c];
  part[threadIdx.x] = sum;
  for (int step = 64; step > 0; step /= 2) {
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0] / (C - 1);
}
"""
SIZES = {"R": 10, "C": 100}
TRIES = 6


def wait_first(lines, failure):
    """Threads read shared memory before others have written it."""
    fault = failure.get("fault") or {}
    if fault.get("buffer") != "shared memory" or fault.get("kind") not in ("uninitialised read", "race"):
        return None
    at = fault["line"] - 1
    indent = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
    return [*lines[:at], indent + "__syncthreads();", *lines[at:]]


def stop_earlier(lines, failure):
    """A loop runs one element too far."""
    fault = failure.get("fault") or {}
    at = fault.get("line", 0) - 1
    if fault.get("kind") != "out of bounds" or "<=" not in lines[at]:
        return None
    return [*lines[:at], lines[at].replace("<=", "<", 1), *lines[at + 1 :]]


def divide_by_another(lines, failure):
    """The result has a wrong divisor: one of the sizes gives the expected value."""
    element = failure.get("element")
    if not element or not element["actual"] or not element["expected"]:
        return None
    sizes = failure["binding"]["symbols"]
    for at, line in enumerate(lines):
        found = re.search(r"/ \((\w+) ([-+]) (\d+)\);", line)
        if not found or found[1] not in sizes:
            continue
        now = sizes[found[1]] + int(found[2] + found[3])
        wanted = element["actual"] * now / element["expected"]
        for name, size in sizes.items():
            if abs(size - wanted) < 1e-3 * size:
                return [*lines[:at], line.replace(found[0], f"/ {name};"), *lines[at + 1 :]]
    return None


RULES = (wait_first, stop_earlier, divide_by_another)


def mended(kernel, failure):
    for rule in RULES:
        lines = rule(kernel.splitlines(), failure)
        if lines:
            return rule, "\n".join(lines) + "\n"
    raise SystemExit(f"no rule for {json.dumps(failure)}")


def shown(failure):
    facts = failure.get("fault") or failure.get("element")
    return {"case": failure["case"], "binding": failure["binding"]["symbols"], **facts}


async def call(client, tool, arguments, note=""):
    print(f"\n> {tool} {note}")
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content[0].text
    return result.structured_content


async def main():
    kept = {name: value for name, value in os.environ.items() if name.startswith(("WARPWRIGHT_", "XDG_", "LD_"))}
    server = stdio_client(StdioServerParameters(command=sys.argv[1], args=["mcp"], env=kept))
    async with Client(server) as client:
        described = await call(client, "describe", {"op": "mean"}, "mean")
        print(described["spec"]["text"])
        kernel, faults = KERNEL, []
        print(kernel)
        for _ in range(TRIES):
            verdict = (await call(client, "check", {"kernel": kernel, "set": SIZES}))["verdict"]
            if verdict["accepted"]:
                break
            failed = next(stage for stage in verdict["stages"] if stage["outcome"] == "failed")
            print(f"{failed['stage']}: {json.dumps(shown(failed['failure']))}")
            rule, better = mended(kernel, failed["failure"])
            faults.append(rule)
            print(f"{rule.__doc__}")
            for line in list(difflib.unified_diff(kernel.splitlines(), better.splitlines(), n=0, lineterm=""))[2:]:
                print(line)
            kernel = better
        assert verdict["accepted"] and set(faults) == set(RULES), faults
        print("\n".join(f"{stage['stage']}: {stage['outcome']}, {stage['message']}" for stage in verdict["stages"]))
        run = await call(client, "explore", {"op": "mean", "set": SIZES, "kernels": [kernel], "search": False, "budget": 1})
        candidate = run["candidates"][0]
        assert run["run"]["accepted"] == 1
        print(f"candidate {candidate['id']}: {candidate['state']}, {candidate['verdict']}")
        print(f"\n{len(faults)} faults mended in {len(faults) + 1} checks")


asyncio.run(main())
