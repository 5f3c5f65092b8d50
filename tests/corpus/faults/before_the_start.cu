// SPDX-License-Identifier: Apache-2.0
// Writes the element before the output's first.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds
// simt: stage=smoke fault=out-of-bounds
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i == 0) y[i - 1] = 1.0f;
}
