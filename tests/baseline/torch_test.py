# SPDX-License-Identifier: Apache-2.0
"""The PyTorch helper's protocol, and every op's PyTorch expression against the reference values of tests/op/fixtures, on the CPU.
Usage: torch_test.py SOURCE_DIR. Exit status 77: this Python has no torch."""
import json
import math
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
helper = subprocess.Popen([sys.executable, str(root / "resources/python/torch_baseline.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
number = 0


def call(method, params):
    global number
    number += 1
    body = json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}).encode()
    helper.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    helper.stdin.flush()
    length = int(helper.stdout.readline().split(b":")[1])
    helper.stdout.readline()
    reply = json.loads(helper.stdout.read(length))
    assert reply["id"] == number and reply["jsonrpc"] == "2.0", reply
    return reply


described = call("describe", {})["result"]
if not described["torch"]:
    print("SKIP   : baseline_torch no PyTorch:", described["why_not"])
    sys.exit(77)
assert call("fly", {})["error"]["message"] == "there is no method 'fly'"
assert call("time", {"round": 0, "samples": 1})["error"]["data"]["code"] == "unsupported"
case = {"expression": "F.relu(x)", "symbols": {}, "constants": {}, "inputs": [{"name": "x", "dtype": "f32", "shape": [4]}], "outputs": [{"name": "y", "dtype": "f32", "shape": [4]}]}
if described["why_not"]:  # the usual case here; on a GPU machine the times are tested by the command's own test
    assert "no CUDA device" in described["why_not"], described
    assert "no CUDA device" in call("prepare", case)["error"]["message"]


def directive(text, key):
    lines = [line for line in text.splitlines() if line.startswith(f"//@ {key}: ")]
    assert len(lines) == 1, key
    return lines[0].split(": ", 1)[1]


def shapes_of(text, env):
    """Inputs of the op file, by its own header: name -> (dtype, shape); and its constants."""
    head = text[text.index("\nop ") + 1:]
    head = head[head.index("(") + 1:re.search(r"\)\s*->", head).start()]
    tensors, _, constants = head.partition(";")
    inputs, depth, part = {}, 0, ""
    for c in tensors + ",":
        depth += (c == "[") - (c == "]")
        if c == "," and depth == 0:
            name, what = part.split(":")
            what, _, domain = what.partition(" in ")
            dtype, _, dims = what.strip().partition("[")
            inputs[name.strip()] = (dtype, [int(eval(d, {}, env)) for d in dims.rstrip("]").split(",")] if dims else [], domain.strip())
            part = ""
        else:
            part += c
    values = {}
    for pair in filter(None, (p.strip() for p in constants.split(","))):
        name, _, value = pair.partition("=")
        values[name.strip()] = value.strip()
    return inputs, values


files = {f.stem: f.read_text() for f in (root / "resources/ops").rglob("*.op")}
references = json.loads((root / "tests/op/fixtures/references.json").read_text())["cases"]
checked, newer = set(), set()
for c in references:
    text, name = files[c["op"]], c["op"]
    inputs, defaults = shapes_of(text, c["symbols"])
    constants = {}
    for k, v in defaults.items():
        constants[k] = c["constants"].get(k, eval(v, {}, constants))
    params = {"expression": directive(text, "torch"), "symbols": c["symbols"], "constants": constants,
              "inputs": [{"name": n, "dtype": d, "shape": s, "values": [v if not isinstance(v, str) else float(v) for v in c["inputs"][n]]} for n, (d, s, _) in inputs.items()]}
    reply = call("evaluate", params)
    if "error" in reply:
        assert "has no attribute" in reply["error"]["data"]["cause"], (name, reply)  # a function that this release lacks
        newer.add(name)
        continue
    result = reply["result"]
    assert result["shape"] == c["shape"], (name, result["shape"], c["shape"])
    for got, want in zip(result["values"], c["expected"]):
        got, want = float(got), float(want)
        close = got == want or (math.isnan(got) and math.isnan(want)) or abs(got - want) <= 1e-5 * max(1.0, abs(want))
        assert close, (name, got, want, c["constants"])
    checked.add(name)
unknown = set(files) - checked - newer
assert not unknown, f"no reference for {unknown}"
assert len(checked) > 130 and not (checked & newer), (len(checked), newer)
if not described["why_not"]:  # every op at its own sizes, captured and timed
    failed = []
    for name, text in files.items():
        env = {k: int(v) for k, v in re.findall(r"(\w+) = (\d+)", text[text.index("default"):text.index("{")])}
        inputs, defaults = shapes_of(text, env)
        constants = {}
        for k, v in defaults.items():
            constants[k] = eval(v, {}, constants)
        case = {"expression": directive(text, "torch"), "symbols": env, "constants": constants, "inputs": [], "outputs": [], "compile": False}
        for n, (d, s, domain) in inputs.items():
            case["inputs"].append({"name": n, "dtype": d, "shape": s})
            if domain:
                case["inputs"][-1]["lo"], case["inputs"][-1]["hi"] = (eval(bound, {}, env) for bound in domain.split(".."))
        head = text[text.index("\nop "):text.index("{")]
        out = re.search(r"->\s*(\w+): (\w+)(?:\[([^\]]*)\])?", head)
        names = dict(env, **constants)
        shape = [int(eval(d.strip().replace("/", "//"), {}, names)) for d in out[3].split(",")] if out[3] else []
        case["outputs"].append({"name": out[1], "dtype": out[2], "shape": shape})
        reply = call("prepare", case)
        error = reply["error"]["message"] + reply["error"]["data"]["cause"] if "error" in reply else reply["result"]["variants"][0]["error"]
        if not error:
            timings = call("time", {"round": 0, "samples": 2})["result"]["timings"]
            if len(timings) != 2 or not all(0 < s["us"] < 1e6 for t in timings for s in t["samples"]):
                error = "times are not sensible"
        if error:
            failed.append((name, error))
    print(f"{len(files) - len(failed)} of {len(files)} expressions were timed on {described['gpu']}")
    assert not failed, failed

assert call("shutdown", {})["result"] == {}
assert helper.wait(20) == 0
print(f"{len(checked)} expressions of {described['torch']} agree; {sorted(newer)} need a newer PyTorch")
