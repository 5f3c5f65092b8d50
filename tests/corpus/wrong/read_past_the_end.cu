// SPDX-License-Identifier: Apache-2.0
// The last thread reads one element past the input.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=out-of-bounds
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + 0.0f * x[i + 1];
}
