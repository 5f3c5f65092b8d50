// SPDX-License-Identifier: Apache-2.0
// All threads write their own value to one element as well.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke|cases|determinism tensor=y
// simt: stage=smoke|cases tensor=y
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  y[i] = fmaxf(x[i], 0.0f);
  y[n / 2] = fmaxf(x[i], 0.0f);
}
