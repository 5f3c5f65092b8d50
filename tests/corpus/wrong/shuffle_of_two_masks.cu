// SPDX-License-Identifier: Apache-2.0
// Threads shuffle with masks that differ, though each names the others.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=invalid-instruction
//@ candidate sum
//@ launch row_sum grid(R) block(64) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[64];
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 64) t += x[blockIdx.x * C + c];
  s[threadIdx.x] = t;
  __syncthreads();
  if (threadIdx.x >= 32) return;
  t = s[threadIdx.x] + s[threadIdx.x + 32];
  const unsigned mask = threadIdx.x < 16 ? 0xffffu : 0xffffffffu;
  t += __shfl_xor_sync(0xffffffffu, t, 16);
  for (int m = 8; m > 0; m /= 2) t += __shfl_xor_sync(mask, t, m);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
