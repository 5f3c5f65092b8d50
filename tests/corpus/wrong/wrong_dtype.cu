// SPDX-License-Identifier: Apache-2.0
// Writes 32-bit indices into a tensor of 64-bit ones.
// op: reduce/argmax
// bind: R = 64, C = 256
// expect: stage=smoke tensor=y
//@ candidate argmax
//@ launch arg grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
extern "C" __global__ void arg(const float* x, int* y, int R, int C) {
  const int r = blockIdx.x * 64 + threadIdx.x;
  if (r >= R) return;
  int best = 0;
  for (int c = 1; c < C; ++c)
    if (x[r * C + c] > x[r * C + best]) best = c;
  y[r] = best;
}
