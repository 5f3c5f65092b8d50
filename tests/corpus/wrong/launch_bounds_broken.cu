// SPDX-License-Identifier: Apache-2.0
// Launched with more threads than its own bounds allow.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract|compile|smoke
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void __launch_bounds__(128) relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
