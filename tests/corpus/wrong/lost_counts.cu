// SPDX-License-Identifier: Apache-2.0
// Counts without atomics.
// op: gather/histogram
// bind: N = 2048, V = 16
// expect: stage=smoke|cases tensor=y
//@ candidate histogram
//@ zero y
//@ launch count grid(ceildiv(N, 256)) block(256) args(idx, y, N)
extern "C" __global__ void count(const int* idx, long long* y, int N) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N) y[idx[i]] += 1;
}
