// SPDX-License-Identifier: Apache-2.0
// exp without the row's maximum taken off overflows for large inputs.
// op: normalize/softmax
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate softmax
//@ launch softmax grid(R) block(32) args(x, y, C)
extern "C" __global__ void softmax(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * C;
  float z = 0;
  for (int c = threadIdx.x; c < C; c += 32) z += expf(row[c]);
  for (int m = 16; m > 0; m /= 2) z += __shfl_xor_sync(0xffffffffu, z, m);
  for (int c = threadIdx.x; c < C; c += 32) y[blockIdx.x * C + c] = expf(row[c]) / z;
}
