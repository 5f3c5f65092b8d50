// SPDX-License-Identifier: Apache-2.0
// Writes 4 MiB behind its shared memory.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds|trap
// simt: stage=smoke fault=out-of-bounds
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) shared(1024) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  extern __shared__ float s[];
  const int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x + (1 << 20)] = i < n ? x[i] : 0.0f;
  __syncthreads();
  if (i < n) y[i] = fmaxf(s[threadIdx.x + (1 << 20)], 0.0f);
}
