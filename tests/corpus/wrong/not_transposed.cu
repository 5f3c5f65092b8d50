// SPDX-License-Identifier: Apache-2.0
// Copies without transposing.
// op: transpose/transpose
// bind: R = 64, C = 64
// expect: stage=smoke|cases tensor=y
//@ candidate transpose
//@ launch tr grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void tr(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
