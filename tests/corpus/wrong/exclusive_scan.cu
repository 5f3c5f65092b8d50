// SPDX-License-Identifier: Apache-2.0
// The sum up to the element, without it.
// op: scan/cumsum
// bind: R = 16, C = 128
// expect: stage=smoke|cases tensor=y
//@ candidate cumsum
//@ launch scan grid(ceildiv(R, 32)) block(32) args(x, y, R, C)
extern "C" __global__ void scan(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * 32 + threadIdx.x;
  if (r >= R) return;
  float s = 0;
  for (int c = 0; c < C; ++c) {
    y[r * C + c] = s;
    s += x[r * C + c];
  }
}
