// SPDX-License-Identifier: Apache-2.0
// Calls itself without end, with an array in each frame.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=stack-overflow
// simt: stage=smoke fault=stack-overflow
//@ candidate relu
//@ launch relu grid(1) block(32) args(x, y, R * C)
__device__ __noinline__ float deep(const float* x, long long n) {
  volatile float kept[64];
  kept[n % 64] = x[0];
  return n == 0 ? x[0] : deep(x, n - 1) + kept[n % 64];
}
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const float d = deep(x, 1LL << 40);
  for (int i = threadIdx.x; i < n; i += 32) y[i] = fmaxf(x[i], 0.0f) + 0.0f * d;
}
