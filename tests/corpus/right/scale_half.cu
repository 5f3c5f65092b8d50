// SPDX-License-Identifier: Apache-2.0
// Half precision, in pairs.
// op: scale_half.op
// expect: accepted
//@ candidate scale_half
//@ launch scale grid(ceildiv(R * C, 256)) block(128) args(x, y, R * C, factor)
#include <cuda_fp16.h>
extern "C" __global__ void scale(const __half* x, __half* y, int n, float factor) {
  const int i = 2 * (blockIdx.x * 128 + threadIdx.x);
  if (i + 1 < n) {
    const float2 v = __half22float2(*reinterpret_cast<const __half2*>(x + i));
    *reinterpret_cast<__half2*>(y + i) = __floats2half2_rn(v.x * factor, v.y * factor);
  } else if (i < n) {
    y[i] = __float2half(__half2float(x[i]) * factor);
  }
}
