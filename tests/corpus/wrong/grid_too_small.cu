// SPDX-License-Identifier: Apache-2.0
// R * C / 256 blocks, rounded down.
// op: map/copy
// bind: R = 64, C = 256
// expect: stage=cases tensor=y
//@ candidate copy
//@ launch copy grid(max(R * C / 256, 1)) block(256) args(x, y, R * C)
extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
