// SPDX-License-Identifier: Apache-2.0
// Tiles with a padded column, so that no two lanes share a bank.
// op: transpose/transpose
// bind: R = 64, C = 256
// expect: accepted
//@ candidate transpose
//@ structure tiled-shared
//@ launch tr grid(ceildiv(C, 32), ceildiv(R, 32)) block(32, 8) args(x, y, R, C)
extern "C" __global__ void tr(const float* x, float* y, int R, int C) {
  __shared__ float tile[32][33];
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int r = blockIdx.y * 32 + k, c = blockIdx.x * 32 + threadIdx.x;
    if (r < R && c < C) tile[k][threadIdx.x] = x[r * C + c];
  }
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += 8) {
    const int c = blockIdx.x * 32 + k, r = blockIdx.y * 32 + threadIdx.x;
    if (r < R && c < C) y[c * R + r] = tile[threadIdx.x][k];
  }
}
