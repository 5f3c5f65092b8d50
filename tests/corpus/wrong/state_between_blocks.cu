// SPDX-License-Identifier: Apache-2.0
// Blocks hand results on in a device variable and trust in their order.
// op: reduce/argmax
// bind: R = 64, C = 256
// expect: stage=smoke|cases fault=race
//@ candidate argmax
//@ launch arg grid(R) block(32) args(x, y, C)
__device__ float kept = -1e30f;
__device__ long long kept_at;
extern "C" __global__ void arg(const float* x, long long* y, int C) {
  if (threadIdx.x != 0) return;
  const float* row = x + blockIdx.x * C;
  for (int c = 0; c < C; ++c)
    if (row[c] > kept) kept = row[c], kept_at = c;
  y[blockIdx.x] = kept_at;
}
