// SPDX-License-Identifier: Apache-2.0
// Every column that holds the maximum writes itself; which one stays is left to chance.
// op: reduce/argmax
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate argmax
//@ launch arg grid(R) block(128) args(x, y, C)
extern "C" __global__ void arg(const float* x, long long* y, int C) {
  const float* row = x + blockIdx.x * C;
  float top = row[0];
  for (int c = 1; c < C; ++c) top = fmaxf(top, row[c]);
  for (int c = threadIdx.x; c < C; c += 128)
    if (row[c] == top) y[blockIdx.x] = c;
}
