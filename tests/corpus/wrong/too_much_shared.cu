// SPDX-License-Identifier: Apache-2.0
// More dynamic shared memory than any device has.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ launch relu grid(R) block(128) shared(300 * 1024) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  extern __shared__ float s[];
  for (int c = threadIdx.x; c < C; c += blockDim.x) {
    s[threadIdx.x] = x[blockIdx.x * C + c];
    y[blockIdx.x * C + c] = fmaxf(s[threadIdx.x], 0.0f);
  }
}
