// SPDX-License-Identifier: Apache-2.0
// Every element is NaN.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke tensor=y
// simt: stage=smoke tensor=y
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f) * __int_as_float(0x7FC00000);
}
