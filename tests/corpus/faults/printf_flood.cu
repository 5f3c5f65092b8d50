// SPDX-License-Identifier: Apache-2.0
// Prints without end, and is wrong as well.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke tensor=y
// simt: stage=smoke tensor=y
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  for (int k = 0; k < 200; ++k) printf("thread %d of block %d says the same thing over and over again\n", threadIdx.x, blockIdx.x);
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + 1.0f;
}
