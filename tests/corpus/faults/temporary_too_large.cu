// SPDX-License-Identifier: Apache-2.0
// A scratch tensor of 800 GB.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=contract
// simt: stage=contract
//@ candidate relu
//@ temp t: f32[200000000000]
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, t, R * C)
extern "C" __global__ void relu(const float* x, float* y, float* t, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) t[i] = y[i] = fmaxf(x[i], 0.0f);
}
