// SPDX-License-Identifier: Apache-2.0
// The accumulators begin with the bias.
// op: contract/matmul_bias
// bind: M = 32, N = 32, K = 32
// expect: accepted
//@ candidate matmul_bias
//@ launch matmul grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, bias, y, M, N, K)
extern "C" __global__ void matmul(const float* a, const float* b, const float* bias, float* y, int M, int N, int K) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float s = bias[j];
  for (int k = 0; k < K; ++k) s = fmaf(a[i * (long long)K + k], b[k * (long long)N + j], s);
  y[i * (long long)N + j] = s;
}
