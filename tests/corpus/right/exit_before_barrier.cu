// SPDX-License-Identifier: Apache-2.0
// Half of the block has exited before the barrier, which waits for the other half (sm_70 and later).
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum
//@ launch row_sum grid(R) block(64) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[64];
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 64) t += x[blockIdx.x * C + c];
  s[threadIdx.x] = t;
  if (threadIdx.x >= 32) return;
  __syncthreads();
  t = s[threadIdx.x] + s[threadIdx.x + 32];
  for (int m = 16; m > 0; m /= 2) t += __shfl_xor_sync(0xffffffffu, t, m);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
