# SPDX-License-Identifier: Apache-2.0
"""Times {{package}} on the first CUDA device, and what a call costs the CPU."""
import json
import statistics
import time

import cupy

from {{package}} import TABLE, {{function}}
from {{package}}.inputs import inputs_of


def gpu_us(function, arguments, calls=50, repeats=20):
    """Of one call: many behind each other, the median of the repeats."""
    function(*arguments)
    samples = []
    for _ in range(repeats):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(calls):
            function(*arguments)
        end.record()
        end.synchronize()
        samples.append(cupy.cuda.get_elapsed_time(begin, end) * 1000 / calls)
    return statistics.median(samples)


def call_us(function, arguments, calls=200, repeats=20):
    function(*arguments)
    samples = []
    for _ in range(repeats):
        cupy.cuda.Device().synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            function(*arguments)
        samples.append((time.perf_counter() - begin) / calls * 1e6)
    return statistics.median(samples)


if __name__ == "__main__":
    name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    for _, case in TABLE.cases():
        arguments = inputs_of(case)
        print(json.dumps({"gpu": name, "cupy": cupy.__version__, "sizes": case, "us": gpu_us({{function}}, arguments),
                          "call_us": call_us({{function}}, arguments)}))
