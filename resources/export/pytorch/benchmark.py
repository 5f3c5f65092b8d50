# SPDX-License-Identifier: Apache-2.0
"""Times {{package}} on the first CUDA device beside PyTorch, and what a call costs the CPU beside an operator that does nothing."""
import json
import statistics
import time

import torch

from {{package}} import PLAN, TABLE, expression, {{function}}
from {{package}}.inputs import inputs_of


@torch.library.custom_op("warpwright_benchmark::nothing", mutates_args=())
def nothing(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


def gpu_us(function, arguments, calls=20, repeats=20):
    """Of one call on the GPU alone: calls in a CUDA graph, the median of its replays."""
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            function(*arguments)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(calls):
            function(*arguments)
    samples = []
    for _ in range(repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        samples.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(samples)


def call_us(function, arguments, calls=200, repeats=20):
    function(*arguments)
    samples = []
    for _ in range(repeats):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            function(*arguments)
        samples.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(samples)


if __name__ == "__main__":
    small = [torch.zeros(1, device="cuda")]
    for _, case in TABLE.cases():
        arguments = inputs_of(case)
        result = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "sizes": case,
                  "us": gpu_us({{function}}, arguments), "call_us": call_us({{function}}, arguments), "empty_call_us": call_us(nothing, small)}
        try:
            sizes = PLAN.checked([case[s] for s in PLAN.symbols])
            result["torch_us"] = gpu_us(expression(sizes), arguments[:len(PLAN.inputs)])
        except NotImplementedError:
            result["torch_us"] = None
        print(json.dumps(result))
