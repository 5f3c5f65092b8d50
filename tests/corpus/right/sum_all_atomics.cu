// SPDX-License-Identifier: Apache-2.0
// Atomic additions into a zeroed output.
// op: reduce/sum_all
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum_all
//@ zero y
//@ launch total grid(16) block(128) args(x, y, R * C)
extern "C" __global__ void total(const float* x, float* y, int n) {
  float s = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += 16 * 128) s += x[i];
  for (int m = 16; m > 0; m /= 2) s += __shfl_down_sync(0xffffffffu, s, m);
  if (threadIdx.x % 32 == 0) atomicAdd(y, s);
}
