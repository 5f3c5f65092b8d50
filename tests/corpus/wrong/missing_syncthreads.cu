// SPDX-License-Identifier: Apache-2.0
// No barrier between the steps of a reduction in shared memory.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=uninitialised-read
//@ candidate sum
//@ launch row_sum grid(R) block(256) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[256];
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 256) t += x[blockIdx.x * C + c];
  s[threadIdx.x] = t;
  for (int m = 128; m > 0; m /= 2)
    if (threadIdx.x < m) s[threadIdx.x] += s[threadIdx.x + m];
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
