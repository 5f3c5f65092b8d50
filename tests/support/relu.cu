// SPDX-License-Identifier: Apache-2.0
//@ candidate relu
//@ title one thread per element
//@ launch run grid(ceildiv(R * C, 256)) block(256) args(x, y, R, C)
extern "C" __global__ void run(const float* x, float* y, int R, int C) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (long long)R * C) y[i] = x[i] > 0 ? x[i] : 0;
}
