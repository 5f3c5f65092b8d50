// SPDX-License-Identifier: Apache-2.0
// Follows a pointer that nobody has stored.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-bounds|misaligned|trap
// simt: stage=smoke fault=uninitialised-read
// extra: yes
//@ candidate relu
//@ temp where: i64
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, where, R * C)
extern "C" __global__ void relu(const float* x, float* y, const unsigned long long* where, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float* bias = reinterpret_cast<const float*>(*where & ~255ull);
  if (i < n) y[i] = fmaxf(x[i] + bias[i], 0.0f);
}
