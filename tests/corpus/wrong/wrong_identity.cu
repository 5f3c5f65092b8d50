// SPDX-License-Identifier: Apache-2.0
// The maximum begins at 0, which rows of negative numbers do not reach.
// op: reduce/max
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate max
//@ launch row_max grid(R) block(32) args(x, y, C)
extern "C" __global__ void row_max(const float* x, float* y, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 32) s = fmaxf(s, x[blockIdx.x * C + c]);
  for (int m = 16; m > 0; m /= 2) s = fmaxf(s, __shfl_xor_sync(0xffffffffu, s, m));
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
