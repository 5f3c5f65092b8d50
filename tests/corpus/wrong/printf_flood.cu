// SPDX-License-Identifier: Apache-2.0
// Prints without end, and is wrong as well.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke tensor=y
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int k = 0; k < 200; ++k) printf("thread %d of block %d says %s\n", threadIdx.x, blockIdx.x, "the same thing over and over again");
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f) + 1.0f;
}
