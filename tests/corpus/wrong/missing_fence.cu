// SPDX-License-Identifier: Apache-2.0
// No barrier between the warps of a block, each of which writes its own part in time: only some orders are wrong.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke|cases
//@ candidate sum
//@ launch row_sum grid(R) block(128) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float w[4];
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 128) s += x[blockIdx.x * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
  if (threadIdx.x == 127) y[blockIdx.x] = w[0] + w[1] + w[2] + s;
}
