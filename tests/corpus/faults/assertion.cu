// SPDX-License-Identifier: Apache-2.0
// Asserts what does not hold.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=assertion
// simt: stage=smoke fault=assertion
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
#include <cassert>
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  assert(i != 1);
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
