# SPDX-License-Identifier: Apache-2.0
"""gpu_corpus.py CLI ROOT RESULTS SECRETS DEVICES WORKERS LIMIT FIRST: see gpu_corpus.sh, which calls it."""
import json
import pathlib
import statistics
import subprocess
import sys
import time

cli, root, results, secrets, devices, workers, limit, first = sys.argv[1:]
root, results, devices = pathlib.Path(root), pathlib.Path(results), devices.split()


def self_test(device, secret):
    """The kernels with their rulings; None: the CLI gave no answer."""
    command = [cli, "gate", "--self-test", "--device", device, "--secret", secret, "--limit", limit, "--json"]
    if workers != "0":
        command += ["--workers", workers]
    start = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True)
    seconds = time.monotonic() - start
    (results / f"gate_corpus_{device.replace(':', '_')}_{secret}.json").write_text(done.stdout)
    try:
        answer = json.loads(done.stdout)
    except json.JSONDecodeError:
        print(f"{device} {secret}: no answer, exit code {done.returncode}: {done.stderr[-500:]}")
        return None, seconds
    return answer["kernels"], seconds


def counts(kernels):
    of = {}
    for k in kernels:
        c = of.setdefault((k["expected"], k["kind"]), [0, 0, 0])
        c[0] += 1
        c[1] += not k["as_expected"]
        c[2] += k["ruling"] == "not judged"
    return of


def check_seconds(device):
    """One softmax of 1024 x 1024 through everything, as a user calls it: median of 5 after one that warms up."""
    command = [cli, "check", root / "tests/corpus/right/softmax_block.cu", "--op", "softmax", "--set", "R=1024", "--set", "C=1024", "--device", device]
    times = []
    for _ in range(6):
        start = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        times.append(time.monotonic() - start)
        if done.returncode != 0:
            return f"exit code {done.returncode}: {(done.stdout + done.stderr)[-300:]}"
    return f"median {statistics.median(times[1:]):.2f} s wall of 5 ({min(times[1:]):.2f} to {max(times[1:]):.2f})"


status = 0
escaped = {device: [] for device in devices}
for i in range(int(first), int(first) + int(secrets)):
    secret = f"{7919 * 104729 * i:016x}"
    for device in devices:
        kernels, seconds = self_test(device, secret)
        if kernels is None:
            status = 1
            continue
        print(f"\n{device}, secret {secret}, {seconds:.0f} s")
        print(f"  {'kind':14}{'':10}{'tried':>7}{'otherwise':>11}{'not judged':>12}")
        for (expected, kind), (tried, otherwise, not_judged) in counts(kernels).items():
            print(f"  {kind:14}{'honest' if expected == 'accepted' else 'wrong':10}{tried:7}{otherwise:11}{not_judged:12}")
        wrong = [k for k in kernels if k["expected"] != "accepted"]
        bad = [k["name"] for k in wrong if not k["as_expected"]]
        refused = [k for k in kernels if k["expected"] == "accepted" and not k["as_expected"]]
        escaped[device].append(set(bad))
        print(f"  {len(bad)} of {len(wrong)} wrong ones escape: {', '.join(bad) or 'none'}")
        print(f"  {len(refused)} of {len(kernels) - len(wrong)} honest ones are not accepted")
        for k in refused:
            print(f"    {k['name']} ({k['kind']}): {k['seen'][:200]}")
print()
for device in devices:
    if escaped[device]:
        print(f"{device}: escape with every secret: {', '.join(sorted(set.intersection(*escaped[device]))) or 'none'}")
if len(devices) == 2 and all(escaped.values()):
    a, b = (set.union(*escaped[d]) for d in devices)
    print(f"escape on {devices[0]} and never on {devices[1]}: {', '.join(sorted(a - b)) or 'none'}")
for device in devices:
    print(f"softmax 1024 x 1024 on {device}: {check_seconds(device)}")
sys.exit(status)
