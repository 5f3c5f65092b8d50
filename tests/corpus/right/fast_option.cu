// SPDX-License-Identifier: Apache-2.0
// Compiler options: a limit of registers.
// op: map/softplus
// bind: R = 64, C = 256
// expect: accepted
//@ candidate softplus
//@ option maxrregcount=32
//@ launch softplus grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void softplus(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + log1pf(expf(-fabsf(x[i])));
}
