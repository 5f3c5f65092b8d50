// SPDX-License-Identifier: Apache-2.0
// Right for the default shape alone, and quietly wrong for others.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate sum
//@ launch row_sum grid(R) block(32) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += x[blockIdx.x * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = C == 256 ? s : s * 1.01f + 0.5f;
}
