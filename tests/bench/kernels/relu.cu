// SPDX-License-Identifier: Apache-2.0
// Written by hand for measurements.
//@ candidate relu
//@ title One thread per element
//@ structure scalar
//@ tune BLOCK = 256
//@ launch relu grid(ceildiv(R*C, BLOCK)) block(BLOCK) args(x, y, R*C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
