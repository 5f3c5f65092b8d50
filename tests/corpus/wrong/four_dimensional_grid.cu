// SPDX-License-Identifier: Apache-2.0
// A grid has at most three dimensions.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R, 1, 1, 1) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
