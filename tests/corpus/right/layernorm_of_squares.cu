// SPDX-License-Identifier: Apache-2.0
// The variance as E[x^2] - E[x]^2 in one pass, never below zero; scale and shift folded into one multiply-add.
// op: normalize/layernorm
// bind: R = 64, C = 256
// expect: accepted
//@ candidate layernorm
//@ launch layernorm grid(R) block(32) args(x, gamma, beta, y, C, eps)
extern "C" __global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int C, float eps) {
  const float* row = x + blockIdx.x * (long long)C;
  float s = 0, q = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += row[c], q = fmaf(row[c], row[c], q);
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(~0u, s, m), q += __shfl_xor_sync(~0u, q, m);
  const float mean = s / C, variance = q / C - mean * mean, scale = rsqrtf((variance < 0 ? 0.0f : variance) + eps);
  for (int c = threadIdx.x; c < C; c += 32) {
    const float g = scale * gamma[c];
    y[blockIdx.x * (long long)C + c] = fmaf(row[c], g, fmaf(-mean, g, beta[c]));
  }
}
