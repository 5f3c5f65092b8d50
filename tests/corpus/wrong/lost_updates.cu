// SPDX-License-Identifier: Apache-2.0
// All threads add to one number without atomics.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate sum
//@ zero y
//@ launch row_sum grid(R) block(64) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += 64) y[blockIdx.x] = y[blockIdx.x] + x[blockIdx.x * C + c];
}
