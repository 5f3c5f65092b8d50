// SPDX-License-Identifier: Apache-2.0
// The lines of an included file would appear in the compiler's log.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
#include </etc/passwd>
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
