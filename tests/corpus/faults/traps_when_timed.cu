// SPDX-License-Identifier: Apache-2.0
// Right when launched once; stops itself when the same module is launched for the fourth time, as a timing does.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke|measure fault=trap|failed-while-timed
// simt: stage=smoke fault=trap
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
__device__ int launches;
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (i == 0 && launches >= 3) __trap();
  if (i == 0) atomicAdd(&launches, 1);
}
