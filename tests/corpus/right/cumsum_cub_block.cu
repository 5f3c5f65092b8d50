// SPDX-License-Identifier: Apache-2.0
// cub::BlockScan, 128 columns at a time.
// op: scan/cumsum
// bind: R = 16, C = 128
// expect: accepted
//@ candidate cumsum
//@ launch scan grid(R) block(128) args(x, y, C)
#include <cub/block/block_scan.cuh>
extern "C" __global__ void scan(const float* x, float* y, int C) {
  using Scan = cub::BlockScan<float, 128>;
  __shared__ typename Scan::TempStorage storage;
  const long long row = (long long)blockIdx.x * C;
  float before = 0;
  for (int first = 0; first < C; first += 128) {
    const int c = first + threadIdx.x;
    float sum, all;
    Scan(storage).InclusiveSum(c < C ? x[row + c] : 0.0f, sum, all);
    if (c < C) y[row + c] = before + sum;
    before += all;
    __syncthreads();
  }
}
