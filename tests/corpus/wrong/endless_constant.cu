// SPDX-License-Identifier: Apache-2.0
// A constant that takes for ever to compute.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=compile
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
constexpr long long endless() {
  long long n = 0;
  while (n >= 0) n = (n + 1) % 1000003;
  return n;
}
extern "C" __global__ void relu(const float* x, float* y, int C) {
  constexpr long long zero = endless();
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], (float)zero);
}
