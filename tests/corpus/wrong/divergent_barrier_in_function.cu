// SPDX-License-Identifier: Apache-2.0
// One warp does not call the function with the barrier, and ends later.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=barrier-divergence
//@ candidate sum
//@ launch row_sum grid(R) block(64) args(x, y, C)
__device__ __noinline__ float other_half(volatile float* s, float t, int at) {
  s[at] = t;
  __syncthreads();
  return t + s[at ^ 32];
}
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[64];
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 64) t += x[blockIdx.x * C + c];
  s[threadIdx.x] = t;
  if (threadIdx.x < 32) t = other_half(s, t, threadIdx.x);
  for (int m = 16; m > 0; m /= 2) t += __shfl_xor_sync(0xffffffffu, t, m);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
