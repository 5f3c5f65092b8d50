// SPDX-License-Identifier: Apache-2.0
// Static and dynamic shared memory that fit one by one, but not together.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=launch-refused
// simt: stage=smoke|compile
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) shared(200 * 1024) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  __shared__ float kept[10240];
  extern __shared__ float s[];
  const int i = blockIdx.x * 256 + threadIdx.x;
  kept[threadIdx.x] = i < n ? x[i] : 0.0f;
  s[threadIdx.x] = kept[threadIdx.x];
  __syncthreads();
  if (i < n) y[i] = fmaxf(s[threadIdx.x], 0.0f) + 0.0f * kept[threadIdx.x];
}
