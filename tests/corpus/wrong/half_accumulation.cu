// SPDX-License-Identifier: Apache-2.0
// Sums in half precision: 65,536 terms of it lose what a single one has.
// op: sum_half.op
// expect: stage=cases tensor=y
//@ candidate sum_half
//@ launch row_sum grid(R) block(32) args(x, y, C)
#include <cuda_fp16.h>
extern "C" __global__ void row_sum(const __half* x, __half* y, int C) {
  __half s = __float2half(0.0f);
  for (int c = threadIdx.x; c < C; c += 32) s = __hadd(s, x[(long long)blockIdx.x * C + c]);
  for (int m = 16; m > 0; m /= 2) s = __hadd(s, __shfl_xor_sync(0xffffffffu, s, m));
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
