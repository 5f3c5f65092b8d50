// SPDX-License-Identifier: Apache-2.0
// (x + x²/|x|) / 2 is right but for 0, where it is 0/0.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = 0.5f * (x[i] + x[i] * (x[i] / fabsf(x[i])));
}
