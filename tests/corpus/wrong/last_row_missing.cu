// SPDX-License-Identifier: Apache-2.0
// Two rows per block: the last one of an odd number is not written.
// op: map/copy
// bind: R = 64, C = 256
// expect: stage=smoke|cases tensor=y
//@ candidate copy
//@ launch copy grid(max(R / 2, 1)) block(128) args(x, y, R, C)
extern "C" __global__ void copy(const float* x, float* y, int R, int C) {
  for (int r = 2 * blockIdx.x; r < 2 * blockIdx.x + 2 && r < R; ++r)
    for (int c = threadIdx.x; c < C; c += 128) y[r * C + c] = x[r * C + c];
}
