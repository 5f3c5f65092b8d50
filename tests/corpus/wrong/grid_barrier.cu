// SPDX-License-Identifier: Apache-2.0
// Every block waits for all others, without a cooperative launch; not all of them need be resident.
// op: reduce/sum_all
// bind: R = 64, C = 256
// expect: stage=smoke|cases fault=out-of-budget
//@ candidate sum_all
//@ temp part: f32[1024]
//@ temp arrived: i32
//@ zero arrived
//@ launch total grid(1024) block(32) args(x, part, arrived, y, R * C)
extern "C" __global__ void total(const float* x, float* part, int* arrived, float* y, int n) {
  float s = 0;
  for (int i = blockIdx.x * 32 + threadIdx.x; i < n; i += 1024 * 32) s += x[i];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s;
    __threadfence();
    atomicAdd(arrived, 1);
    while (*(volatile int*)arrived < 1024) {}
  }
  __syncwarp();
  if (blockIdx.x == 0) {
    float t = 0;
    for (int i = threadIdx.x; i < 1024; i += 32) t += ((volatile float*)part)[i];
    for (int m = 16; m > 0; m /= 2) t += __shfl_xor_sync(0xffffffffu, t, m);
    if (threadIdx.x == 0) *y = t;
  }
}
