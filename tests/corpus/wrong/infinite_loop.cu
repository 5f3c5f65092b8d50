// SPDX-License-Identifier: Apache-2.0
// Waits for a flag that nobody sets.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=out-of-budget
//@ candidate relu
//@ temp flag: i32
//@ zero flag
//@ launch relu grid(R) block(128) args(x, y, flag, C)
extern "C" __global__ void relu(const float* x, float* y, volatile int* flag, int C) {
  while (*flag == 0) {}
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
