// SPDX-License-Identifier: Apache-2.0
// Writes through a null pointer.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds
// simt: stage=smoke fault=null-pointer
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C, 0)
extern "C" __global__ void relu(const float* x, float* y, int n, float* copy) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) copy[i] = y[i] = fmaxf(x[i], 0.0f);
}
