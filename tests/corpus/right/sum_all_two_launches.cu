// SPDX-License-Identifier: Apache-2.0
// Partial sums in a temporary, then their sum.
// op: reduce/sum_all
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum_all
//@ structure two-pass
//@ tune BLOCKS = 24
//@ temp part: f32[BLOCKS]
//@ launch partial grid(BLOCKS) block(256) args(x, part, R * C)
//@ launch finish grid(1) block(32) args(part, y)
__device__ float warp_sum(float s) {
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  return s;
}
extern "C" __global__ void partial(const float* x, float* part, int n) {
  __shared__ float w[8];
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += BLOCKS * 256) s += x[i];
  s = warp_sum(s);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = warp_sum(threadIdx.x < 8 ? w[threadIdx.x] : 0.0f);
    if (threadIdx.x == 0) part[blockIdx.x] = s;
  }
}
extern "C" __global__ void finish(const float* part, float* y) {
  const float s = warp_sum(threadIdx.x < BLOCKS ? part[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) *y = s;
}
