// SPDX-License-Identifier: Apache-2.0
// Asks the device's heap for 64 GiB and does not look at the answer.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds
// simt: stage=smoke fault=null-pointer
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float* t = static_cast<float*>(malloc(1ull << 36));
  if (i >= n) return;
  t[i] = fmaxf(x[i], 0.0f);
  y[i] = t[i];
}
