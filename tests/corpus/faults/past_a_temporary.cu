// SPDX-License-Identifier: Apache-2.0
// Writes behind a scratch tensor.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds
// simt: stage=smoke fault=out-of-bounds
//@ candidate relu
//@ temp t: f32[R * C]
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, t, R * C)
extern "C" __global__ void relu(const float* x, float* y, float* t, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  t[i + 4] = fmaxf(x[i], 0.0f);
  y[i] = t[i + 4];
}
