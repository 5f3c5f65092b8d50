// SPDX-License-Identifier: Apache-2.0
// One warp waits at a barrier for another, which waits for what the first would do after the barrier.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-budget|deadlock
// simt: stage=smoke fault=deadlock|out-of-budget|deadlock
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 64)) block(64) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  __shared__ volatile int go;
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
  if (threadIdx.x == 0) go = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    __syncthreads();
    if (threadIdx.x == 0) go = 1;
  } else {
    while (go == 0) {}
  }
}
