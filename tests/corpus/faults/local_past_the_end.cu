// SPDX-License-Identifier: Apache-2.0
// Writes far behind a local array.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds|stack-overflow|trap
// simt: stage=smoke fault=out-of-bounds
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  volatile float a[16];
  const int i = blockIdx.x * 256 + threadIdx.x;
  a[n & 15] = 1.0f;
  a[n + (1 << 26)] = 2.0f;
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + 0.0f * a[n & 15];
}
