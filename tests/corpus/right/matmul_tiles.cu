// SPDX-License-Identifier: Apache-2.0
// Tiles of both factors in shared memory, any shape.
// op: contract/matmul
// bind: M = 64, N = 64, K = 64
// expect: accepted
//@ candidate matmul
//@ structure tiled-shared
//@ tune TILE = 16
//@ launch mm grid(ceildiv(N, TILE), ceildiv(M, TILE)) block(TILE, TILE) args(a, b, y, M, N, K)
extern "C" __global__ void mm(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE + 1];
  const int tx = threadIdx.x, ty = threadIdx.y, r = blockIdx.y * TILE + ty, c = blockIdx.x * TILE + tx;
  float s = 0;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    as[ty][tx] = r < M && k0 + tx < K ? a[r * K + k0 + tx] : 0.0f;
    bs[ty][tx] = c < N && k0 + ty < K ? b[(k0 + ty) * N + c] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) s += as[ty][k] * bs[k][tx];
    __syncthreads();
  }
  if (r < M && c < N) y[r * N + c] = s;
}
