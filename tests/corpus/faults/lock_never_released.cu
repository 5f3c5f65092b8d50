// SPDX-License-Identifier: Apache-2.0
// The first block takes a lock and keeps it; the others wait for ever.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=out-of-budget
// simt: stage=smoke fault=deadlock|out-of-budget
//@ candidate relu
//@ temp lock: i32
//@ zero lock
//@ launch relu grid(R) block(64) args(x, y, lock, C)
extern "C" __global__ void relu(const float* x, float* y, int* lock, int C) {
  if (threadIdx.x == 0)
    while (atomicCAS(lock, 0, 1) != 0) {}
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += 64) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
