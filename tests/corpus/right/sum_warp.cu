// SPDX-License-Identifier: Apache-2.0
// A warp per row, shuffles.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum
//@ structure row-warp
//@ launch row_sum grid(ceildiv(R, 4)) block(32, 4) args(x, y, R, C)
extern "C" __global__ void row_sum(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * 4 + threadIdx.y;
  if (r >= R) return;
  float s = 0;
  for (int c = threadIdx.x; c < C; c += 32) s += x[r * C + c];
  for (int m = 16; m > 0; m /= 2) s += __shfl_xor_sync(0xffffffffu, s, m);
  if (threadIdx.x == 0) y[r] = s;
}
