// SPDX-License-Identifier: Apache-2.0
// Threads beyond the row do not write their partial sum, but it is read.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=uninitialised-read
//@ candidate sum
//@ launch row_sum grid(R) block(128) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[128];
  if (threadIdx.x < C) {
    float t = 0;
    for (int c = threadIdx.x; c < C; c += 128) t += x[blockIdx.x * C + c];
    s[threadIdx.x] = t;
  }
  __syncthreads();
  for (int m = 64; m > 0; m /= 2) {
    if (threadIdx.x < m) s[threadIdx.x] += s[threadIdx.x + m];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
