// SPDX-License-Identifier: Apache-2.0
// eps is 1e-5, not 1e-3.
// op: normalize/rmsnorm
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate rmsnorm
//@ launch rms grid(R) block(32) args(x, gamma, y, C)
extern "C" __global__ void rms(const float* x, const float* gamma, float* y, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += x[blockIdx.x * C + c] * x[blockIdx.x * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  for (int c = threadIdx.x; c < C; c += 32) y[blockIdx.x * C + c] = x[blockIdx.x * C + c] * rsqrtf(s / C + 1e-3f) * gamma[c];
}
