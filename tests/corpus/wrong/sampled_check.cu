// SPDX-License-Identifier: Apache-2.0
// One wrong element among 65,536.
// op: map/copy
// bind: R = 128, C = 512
// expect: stage=cases tensor=y
//@ candidate copy
//@ launch copy grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void copy(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = i == 40009 ? x[i] * 1.0001f + 0.01f : x[i];
}
