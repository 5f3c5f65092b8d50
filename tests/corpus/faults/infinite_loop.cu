// SPDX-License-Identifier: Apache-2.0
// Every thread waits for a flag that nobody sets.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-budget
// simt: stage=smoke fault=deadlock|out-of-budget
//@ candidate relu
//@ temp flag: i32
//@ zero flag
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, flag, R * C)
extern "C" __global__ void relu(const float* x, float* y, volatile int* flag, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  while (*flag == 0) {}
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
