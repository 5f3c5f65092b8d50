// SPDX-License-Identifier: Apache-2.0
// Lanes of one warp exchange through shared memory without __syncwarp, as was right before Volta.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: stage=smoke|cases
//@ candidate sum
//@ launch row_sum grid(R) block(32) args(x, y, C)
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __shared__ float s[32];
  const int t = threadIdx.x;
  float v = 0;
  for (int c = t; c < C; c += 32) v += x[blockIdx.x * C + c];
  s[t] = v;
  for (int m = 16; m > 0; m /= 2)
    if (t < m) s[t] += s[t + m];
  if (t == 0) y[blockIdx.x] = s[0];
}
