// SPDX-License-Identifier: Apache-2.0
// Reads the element after the shared array.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke fault=out-of-bounds
//@ candidate sum
//@ launch row_sum grid(R) block(128) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[128];
  float t = 0;
  for (int c = threadIdx.x; c < C; c += 128) t += x[blockIdx.x * C + c];
  s[threadIdx.x] = t;
  __syncthreads();
  if (threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i <= C % 2 + 127; ++i) sum += s[i + (C % 2 == 0)];
    y[blockIdx.x] = sum;
  }
}
