// SPDX-License-Identifier: Apache-2.0
// 64-bit atomics into a zeroed output.
// op: gather/histogram
// bind: N = 2048, V = 16
// expect: accepted
//@ candidate histogram
//@ zero y
//@ launch count grid(ceildiv(N, 256)) block(256) args(idx, y, N)
extern "C" __global__ void count(const int* idx, unsigned long long* y, int N) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < N) atomicAdd(&y[idx[i]], 1ull);
}
