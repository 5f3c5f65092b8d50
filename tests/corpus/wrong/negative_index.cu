// SPDX-License-Identifier: Apache-2.0
// Writes before the output's beginning.
// op: map/copy
// bind: R = 64, C = 256
// expect: stage=smoke fault=out-of-bounds
//@ candidate copy
//@ launch copy grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    y[i] = x[i];
    if (i == 0) y[i - 1] = x[i];
  }
}
