// SPDX-License-Identifier: Apache-2.0
// The last term of each row is left out.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke tensor=y element=0
//@ candidate sum
//@ launch row_sum grid(R) block(32) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C - 1; c += 32) s += x[blockIdx.x * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
