// SPDX-License-Identifier: Apache-2.0
// Works in place in its input.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=input-changed
// simt: stage=smoke fault=write-to-read-only-memory
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  x[i] = fmaxf(x[i], 0.0f) + 1.0f;
  y[i] = x[i] - 1.0f;
}
