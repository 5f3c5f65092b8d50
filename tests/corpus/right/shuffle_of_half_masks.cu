// SPDX-License-Identifier: Apache-2.0
// Each half of a warp shuffles with its own mask, one half longer than the other; threads without an element have exited.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum
//@ launch row_sum grid(ceildiv(R, 2)) block(32) args(x, y, R, C)
extern "C" __global__ void row_sum(const float* x, float* y, int R, int C) {
  const unsigned half = threadIdx.x / 16, lane = threadIdx.x % 16, mask = 0xffffu << 16 * half;
  const int r = blockIdx.x * 2 + half;
  if (r >= R) return;
  float t = 0;
  if (half == 0) {
    for (int c = lane; c < C; c += 16) t += x[(long long)r * C + c];
    for (int m = 8; m > 0; m /= 2) t += __shfl_xor_sync(mask, t, m, 16);
  } else {
    for (int c = C - 1 - (int)lane; c >= 0; c -= 16) t += x[(long long)r * C + c];
    for (int m = 1; m < 16; m *= 2) t += __shfl_xor_sync(mask, t, m, 16);
  }
  if (lane == 0) y[r] = t;
}
