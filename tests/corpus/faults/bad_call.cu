// SPDX-License-Identifier: Apache-2.0
// Calls what is no function.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=invalid-instruction|out-of-bounds|trap|misaligned
// simt: stage=compile|smoke
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
using Function = float (*)(float);
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  const Function f = reinterpret_cast<Function>(0x123456789000ull + 16ull * n);
  if (i < n) y[i] = f(x[i]);
}
