# SPDX-License-Identifier: Apache-2.0
import json


def measure_ref_program_time(name, text, num_trials, use_torch_compile, device):
    mean = json.loads(text.splitlines()[0][2:])["judged"].get("compile")
    return {"mean": mean} if mean else None
