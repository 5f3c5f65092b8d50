// SPDX-License-Identifier: Apache-2.0
// R / 64 is no block at all for small R.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R / 64) block(128) args(x, y, R, C)
extern "C" __global__ void relu(const float* x, float* y, int R, int C) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < R * C; i += gridDim.x * blockDim.x) y[i] = fmaxf(x[i], 0.0f);
}
