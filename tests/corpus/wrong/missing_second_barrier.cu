// SPDX-License-Identifier: Apache-2.0
// A fast warp loads the next tile while others still work on this one.
// op: contract/matmul
// bind: M = 64, N = 64, K = 64
// expect: stage=smoke|cases tensor=y
//@ candidate matmul
//@ launch mm grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
extern "C" __global__ void mm(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float as[16][16], bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float s = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    as[ty][tx] = r < M && k0 + tx < K ? a[r * K + k0 + tx] : 0.0f;
    bs[ty][tx] = c < N && k0 + ty < K ? b[(k0 + ty) * N + c] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) s += as[ty][k] * bs[k][tx];
  }
  if (r < M && c < N) y[r * N + c] = s;
}
