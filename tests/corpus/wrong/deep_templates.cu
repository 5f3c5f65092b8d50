// SPDX-License-Identifier: Apache-2.0
// Templates without an end.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=compile
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
template <int N> struct Deep { static constexpr int value = Deep<N + 1>::value; };
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], (float)Deep<0>::value);
}
