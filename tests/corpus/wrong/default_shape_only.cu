// SPDX-License-Identifier: Apache-2.0
// The row length of the default case is built in.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=out-of-bounds
//@ candidate sum
//@ launch row_sum grid(R) block(32) args(x, y)
extern "C" __global__ void row_sum(const float* x, float* y) {
  float s = 0;
  for (int c = threadIdx.x; c < 256; c += 32) s += x[blockIdx.x * 256 + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
