// SPDX-License-Identifier: Apache-2.0
// bfloat16 in, sums in f32, bfloat16 out.
// op: mean_bf16.op
// expect: accepted
//@ candidate mean_bf16
//@ launch row_mean grid(R) block(32) args(x, y, C)
#include <cuda_bf16.h>
extern "C" __global__ void row_mean(const __nv_bfloat16* x, __nv_bfloat16* y, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += __bfloat162float(x[blockIdx.x * C + c]);
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[blockIdx.x] = __float2bfloat16(s / C);
}
