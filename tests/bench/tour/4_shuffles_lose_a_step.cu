// SPDX-License-Identifier: Apache-2.0
// Written by hand for the tour.
//@ candidate softmax
//@ title One warp per row, partial results by shuffles
//@ structure warp-row
//@ tune WARPS = 4
//@ launch softmax_rows grid(ceildiv(R, WARPS)) block(32, WARPS) args(x, y, R, C)
extern "C" __global__ void softmax_rows(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * WARPS + threadIdx.y;
  if (r >= R) return;
  const float* row = x + (size_t)r * C;
  float top = __int_as_float(0xff800000);
  for (int c = threadIdx.x; c < C; c += 32) top = fmaxf(top, row[c]);
  for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
  float sum = 0.0f;
  for (int c = threadIdx.x; c < C; c += 32) sum += expf(row[c] - top);
  for (int step = 16; step > 1; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  for (int c = threadIdx.x; c < C; c += 32) y[(size_t)r * C + c] = expf(row[c] - top) / sum;
}
