// SPDX-License-Identifier: Apache-2.0
// A 16-bit index: beyond 65,535 elements it begins again.
// op: map/copy
// bind: R = 300, C = 256
// expect: stage=cases tensor=y
//@ candidate copy
//@ launch copy grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void copy(const float* x, float* y, int n) {
  const unsigned short i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i];
}
