// SPDX-License-Identifier: Apache-2.0
// The bounds are handed over in the wrong order.
// op: map/clamp
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate clamp
//@ launch clamp grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C, hi, lo)
extern "C" __global__ void clamp(const float* x, float* y, int n, float lo, float hi) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fminf(fmaxf(x[i], lo), hi);
}
