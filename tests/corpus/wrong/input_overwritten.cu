// SPDX-License-Identifier: Apache-2.0
// Works in place in the input and then copies.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=write-to-read-only-memory
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    x[i] = fmaxf(x[i], 0.0f);
    y[i] = x[i];
  }
}
