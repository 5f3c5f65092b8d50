// SPDX-License-Identifier: Apache-2.0
// Mean first, then the variance about it.
// op: normalize/layernorm
// bind: R = 64, C = 256
// expect: accepted
//@ candidate layernorm
//@ structure row-warp
//@ launch layernorm grid(R) block(32) args(x, gamma, beta, y, C, eps)
__device__ float warp_sum(float s) {
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  return s;
}
extern "C" __global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int C, float eps) {
  const float* row = x + blockIdx.x * C;
  float s = 0, v = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += row[c];
  const float mean = warp_sum(s) / C;
  for (int c = threadIdx.x; c < C; c += 32) v += (row[c] - mean) * (row[c] - mean);
  const float scale = rsqrtf(warp_sum(v) / C + eps);
  for (int c = threadIdx.x; c < C; c += 32) y[blockIdx.x * C + c] = (row[c] - mean) * scale * gamma[c] + beta[c];
}
