// SPDX-License-Identifier: Apache-2.0
// Adds to a counter that lies across two words.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=misaligned
// simt: stage=smoke fault=misaligned
// extra: yes
//@ candidate relu
//@ temp t: i32[8]
//@ zero t
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, t, R * C)
extern "C" __global__ void relu(const float* x, float* y, char* t, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i < n) atomicAdd(reinterpret_cast<int*>(t + 2), 1);
}
