// SPDX-License-Identifier: Apache-2.0
// A block of 2048 threads.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R) block(64, 32) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int c = threadIdx.x + blockDim.x * threadIdx.y; c < C; c += blockDim.x * blockDim.y) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
