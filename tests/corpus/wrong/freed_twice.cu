// SPDX-License-Identifier: Apache-2.0
// Returns the same memory twice.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke fault=double-free
//@ candidate relu
//@ launch relu grid(R) block(32) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  float* t = static_cast<float*>(malloc(64));
  if (t == nullptr) __trap();
  t[0] = 0.0f;
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], t[0]);
  free(t);
  free(t);
}
