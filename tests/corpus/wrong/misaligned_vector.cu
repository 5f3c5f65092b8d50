// SPDX-License-Identifier: Apache-2.0
// float4 from the start of a row, which is aligned only where C is a multiple of 4.
// op: map/copy
// bind: R = 64, C = 256
// expect: stage=smoke|cases fault=misaligned
//@ candidate copy
//@ launch copy grid(R) block(64) args(x, y, C)
extern "C" __global__ void copy(const float* x, float* y, int C) {
  const float* from = x + blockIdx.x * C;
  float* to = y + blockIdx.x * C;
  for (int c = threadIdx.x; c < C / 4; c += 64) reinterpret_cast<float4*>(to)[c] = reinterpret_cast<const float4*>(from)[c];
  for (int c = C / 4 * 4 + threadIdx.x; c < C; c += 64) to[c] = from[c];
}
