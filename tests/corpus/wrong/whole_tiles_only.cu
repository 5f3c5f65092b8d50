// SPDX-License-Identifier: Apache-2.0
// K / 16 tiles: the rest of K is left out.
// op: contract/matmul
// bind: M = 64, N = 64, K = 64
// expect: stage=smoke|cases tensor=y
//@ candidate matmul
//@ launch mm grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
extern "C" __global__ void mm(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float as[16][16], bs[16][16];
  const int r = blockIdx.y * 16 + threadIdx.y, c = blockIdx.x * 16 + threadIdx.x;
  float s = 0;
  for (int t = 0; t < K / 16; ++t) {
    as[threadIdx.y][threadIdx.x] = r < M ? a[r * K + t * 16 + threadIdx.x] : 0;
    bs[threadIdx.y][threadIdx.x] = c < N ? b[(t * 16 + threadIdx.y) * N + c] : 0;
    __syncthreads();
    for (int k = 0; k < 16; ++k) s += as[threadIdx.y][k] * bs[k][threadIdx.x];
    __syncthreads();
  }
  if (r < M && c < N) y[r * N + c] = s;
}
