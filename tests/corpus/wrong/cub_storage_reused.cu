// SPDX-License-Identifier: Apache-2.0
// cub::BlockReduce's storage is used again without a barrier in between.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke|cases
//@ candidate sum
//@ launch row_sum grid(R) block(128) args(x, y, C)
#include <cub/block/block_reduce.cuh>
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  using Reduce = cub::BlockReduce<float, 128>;
  __shared__ typename Reduce::TempStorage storage;
  float all = 0;
  for (int first = 0; first < C; first += 128) {
    const int c = first + threadIdx.x;
    all += Reduce(storage).Sum(c < C ? x[(long long)blockIdx.x * C + c] : 0.0f);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = all;
}
