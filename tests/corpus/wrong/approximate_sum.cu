// SPDX-License-Identifier: Apache-2.0
// The mean of the first half of each row, which is close for large rows.
// op: reduce/mean
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate mean
//@ launch row_mean grid(R) block(32) args(x, y, C)
extern "C" __global__ void row_mean(const float* x, float* y, int C) {
  float s = 0;
  const int n = (C + 1) / 2;
  for (int c = threadIdx.x; c < n; c += 32) s += x[blockIdx.x * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = s / n;
}
