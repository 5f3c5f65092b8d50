// SPDX-License-Identifier: Apache-2.0
// 1024 threads a block, each with about a hundred values at once: more registers than a multiprocessor has.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=launch-refused
// simt: stage=compile
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 1024)) block(1024) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 1024 + threadIdx.x;
  float v[96];
#pragma unroll
  for (int k = 0; k < 96; ++k) v[k] = x[(i + k) % n];
  for (int round = 0; round < n % 3 + 1; ++round) {
#pragma unroll
    for (int k = 0; k < 96; ++k) v[k] = fmaf(v[k], v[(k + 1) % 96], v[(k + 7) % 96]);
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 96; ++k) sum += v[k];
  if (i < n) y[i] = fmaxf(x[i], 0.0f) + (sum == 12345.678f ? 1e-20f : 0.0f);
}
