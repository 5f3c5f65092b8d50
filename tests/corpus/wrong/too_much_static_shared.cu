// SPDX-License-Identifier: Apache-2.0
// Static shared memory ends at 48 KiB.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=compile
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  __shared__ float s[20000];
  for (int c = threadIdx.x; c < C; c += blockDim.x) s[c] = x[blockIdx.x * C + c];
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(s[c], 0.0f);
}
