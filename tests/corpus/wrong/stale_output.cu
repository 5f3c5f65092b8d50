// SPDX-License-Identifier: Apache-2.0
// Adds to the output without having asked for zeros.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=uninitialised-read
//@ candidate sum
//@ launch row_sum grid(R) block(64) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += 64) atomicAdd(&y[blockIdx.x], x[blockIdx.x * C + c]);
}
