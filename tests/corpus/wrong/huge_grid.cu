// SPDX-License-Identifier: Apache-2.0
// Two thousand million blocks, nearly all of them for nothing.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke|cases fault=out-of-budget
//@ candidate relu
//@ launch relu grid(2147483647) block(32) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const long long i = (long long)blockIdx.x * 32 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
