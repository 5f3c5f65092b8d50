// SPDX-License-Identifier: Apache-2.0
// The op has no tensor w.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, w, y, C)
extern "C" __global__ void relu(const float* x, const float* w, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], w[c]);
}
