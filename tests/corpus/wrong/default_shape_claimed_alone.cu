// SPDX-License-Identifier: Apache-2.0
// Claims nothing but the default case.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ require R == 64
//@ require C == 256
//@ launch relu grid(64) block(256) args(x, y)
extern "C" __global__ void relu(const float* x, float* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  y[i] = fmaxf(x[i], 0.0f);
}
