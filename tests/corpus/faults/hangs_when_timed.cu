// SPDX-License-Identifier: Apache-2.0
// Right when launched once; never ends when the same module is launched for the fourth time.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke|measure fault=out-of-budget
// simt: stage=smoke fault=deadlock|out-of-budget
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
__device__ int launches;
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i == 0)
    while (*reinterpret_cast<volatile int*>(&launches) >= 3) {}
  if (i == 0) atomicAdd(&launches, 1);
}
