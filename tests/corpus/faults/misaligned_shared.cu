// SPDX-License-Identifier: Apache-2.0
// Writes 16 bytes of shared memory at an address that is a multiple of 4 alone.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=misaligned
// simt: stage=smoke fault=misaligned
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  __shared__ __align__(16) float s[2048];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const float v = i < n ? fmaxf(x[i], 0.0f) : 0.0f;
  *reinterpret_cast<float4*>(s + 4 * threadIdx.x + 1) = make_float4(v, v, v, v);
  __syncthreads();
  if (i < n) y[i] = s[4 * threadIdx.x + 2];
}
