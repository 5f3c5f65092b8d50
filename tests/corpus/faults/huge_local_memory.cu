// SPDX-License-Identifier: Apache-2.0
// Half a megabyte of local memory for each thread: more than the card has for all that can run at once.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-memory|launch-refused
// simt: accepted
// extra: yes
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 32)) block(32) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  volatile char a[511 * 1024];
  const int i = blockIdx.x * 32 + threadIdx.x;
  a[(i * 97) % (511 * 1024)] = 1;
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + 0.0f * a[(i * 97) % (511 * 1024)];
}
