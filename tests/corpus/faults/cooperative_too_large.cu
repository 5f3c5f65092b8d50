// SPDX-License-Identifier: Apache-2.0
// A cooperative launch of more blocks than can run at the same time.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=launch-refused
// simt: stage=smoke fault=unsupported
//@ candidate relu
//@ launch relu grid(65536) block(1024) cooperative args(x, y, R * C)
#include <cooperative_groups.h>
extern "C" __global__ void relu(const float* x, float* y, int n) {
  for (long long i = blockIdx.x * 1024LL + threadIdx.x; i < n; i += gridDim.x * 1024LL) y[i] = fmaxf(x[i], 0.0f);
  cooperative_groups::this_grid().sync();
}
