// SPDX-License-Identifier: Apache-2.0
// Sums in half precision: 65,536 terms of it lose what a single one has.
// op: reduce/sum
// bind: R = 2, C = 65536
// expect: stage=cases tensor=y
//@ candidate sum
//@ launch row_sum grid(R) block(32) args(x, y, C)
#include <cuda_fp16.h>
extern "C" __global__ void row_sum(const float* x, float* y, int C) {
  __half s = __float2half(0.0f);
  for (int c = threadIdx.x; c < C; c += 32) s = __hadd(s, __float2half(x[(long long)blockIdx.x * C + c]));
  float t = __half2float(s);
  for (int m = 16; m > 0; m /= 2) t += __shfl_xor_sync(0xffffffffu, t, m);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
