// SPDX-License-Identifier: Apache-2.0
// Both warps call the function with the barrier.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
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
  t = other_half(s, t, threadIdx.x);
  if (threadIdx.x >= 32) return;
  for (int m = 16; m > 0; m /= 2) t += __shfl_xor_sync(0xffffffffu, t, m);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
