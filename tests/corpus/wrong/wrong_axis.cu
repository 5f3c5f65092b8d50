// SPDX-License-Identifier: Apache-2.0
// Sums rows where columns are wanted; no access leaves a square matrix.
// op: reduce/column_sum
// bind: R = 128, C = 128
// expect: stage=smoke|cases tensor=y
//@ candidate column_sum
//@ launch sum grid(C) block(32) args(x, y, R, C)
extern "C" __global__ void sum(const float* x, float* y, int R, int C) {
  float s = 0;
  for (int r = threadIdx.x; r < R; r += 32) s += x[(blockIdx.x * R + r) % (R * C)];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
