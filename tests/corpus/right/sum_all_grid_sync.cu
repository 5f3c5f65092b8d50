// SPDX-License-Identifier: Apache-2.0
// A cooperative launch whose blocks wait for each other.
// op: reduce/sum_all
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum_all
//@ structure grid-sync
//@ temp part: f32[4]
//@ launch total grid(4) block(64) cooperative args(x, part, y, R * C)
#include <cooperative_groups.h>
extern "C" __global__ void total(const float* x, float* part, float* y, int n) {
  __shared__ float w[2];
  float s = 0;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 4 * 64) s += x[i];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) part[blockIdx.x] = w[0] + w[1];
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0 && threadIdx.x == 0) *y = (part[0] + part[1]) + (part[2] + part[3]);
}
