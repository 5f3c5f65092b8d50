// SPDX-License-Identifier: Apache-2.0
// Written by hand for the tour.
//@ candidate softmax
//@ title One thread per row
//@ structure thread-row
//@ tune BLOCK = 128
//@ launch softmax_rows grid(ceildiv(R, BLOCK)) block(BLOCK) args(x, y, R, C)
// The definition, one row for each thread. Neighbouring threads read elements that lie a whole row apart.
extern "C" __global__ void softmax_rows(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * BLOCK + threadIdx.x;
  if (r >= R) return;
  const float* row = x + (size_t)r * C;
  float top = row[0];
  for (int c = 1; c < C; ++c) top = fmaxf(top, row[c]);
  float sum = 0.0f;
  for (int c = 0; c < C; ++c) sum += expf(row[c] - top);
  for (int c = 0; c < C; ++c) y[(size_t)r * C + c] = expf(row[c] - top) / sum;
}
