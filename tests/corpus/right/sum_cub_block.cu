// SPDX-License-Identifier: Apache-2.0
// cub::BlockReduce.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum
//@ launch row_sum grid(R) block(128) args(x, y, C)
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 128) t += x[(long long)blockIdx.x * C + c];
  t = Reduce(storage).Sum(t);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
