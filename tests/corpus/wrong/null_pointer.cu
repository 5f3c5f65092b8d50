// SPDX-License-Identifier: Apache-2.0
// Follows a null pointer.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=null-pointer
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C, 0)
extern "C" __global__ void relu(const float* x, float* y, int C, const float* bias) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f) + bias[0];
}
