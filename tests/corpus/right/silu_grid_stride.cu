// SPDX-License-Identifier: Apache-2.0
// A fixed grid that strides over the elements.
// op: map/silu
// bind: R = 64, C = 256
// expect: accepted
//@ candidate silu
//@ launch silu grid(min(ceildiv(R * C, 128), 40)) block(128) args(x, y, R * C)
template <class F> __device__ void each(int n, F f) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) f(i);
}
extern "C" __global__ void silu(const float* x, float* y, int n) {
  each(n, [=](int i) { y[i] = x[i] / (1.0f + expf(-x[i])); });
}
