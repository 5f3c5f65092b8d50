// SPDX-License-Identifier: Apache-2.0
// Reads 16 bytes at an address that is a multiple of 4 alone.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=misaligned
// simt: stage=smoke fault=misaligned
//@ candidate relu
//@ launch relu grid(1) block(32) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const float4 v = *reinterpret_cast<const float4*>(x + 1);
  for (int i = threadIdx.x; i < n; i += 32) y[i] = fmaxf(x[i], 0.0f) + 0.0f * (v.x + v.y + v.z + v.w);
}
