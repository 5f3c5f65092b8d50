// SPDX-License-Identifier: Apache-2.0
// i <= n writes one element past the output, where no other tensor is: only a guard zone shows it.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds
// simt: stage=smoke fault=out-of-bounds
//@ candidate relu
//@ launch relu grid(ceildiv(R * C + 1, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i <= n) y[i] = fmaxf(x[min(i, n - 1)], 0.0f);
}
