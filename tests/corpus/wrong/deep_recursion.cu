// SPDX-License-Identifier: Apache-2.0
// Calls itself a million times.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=stack-overflow
//@ candidate relu
//@ launch relu grid(R) block(32) args(x, y, C)
__device__ __noinline__ float deep(const float* x, int n) {
  volatile float kept[16];
  kept[n % 16] = x[0];
  return n == 0 ? x[0] : deep(x, n - 1) + kept[n % 16];
}
extern "C" __global__ void relu(const float* x, float* y, int C) {
  const float d = deep(x, 1000000);
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f) + 0.0f * d;
}
