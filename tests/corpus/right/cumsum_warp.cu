// SPDX-License-Identifier: Apache-2.0
// A warp per row, shuffles within each 32 columns.
// op: scan/cumsum
// bind: R = 16, C = 128
// expect: accepted
//@ candidate cumsum
//@ launch scan grid(R) block(32) args(x, y, C)
extern "C" __global__ void scan(const float* x, float* y, int C) {
  const int lane = threadIdx.x;
  float before = 0;
  for (int c0 = 0; c0 < C; c0 += 32) {
    const int c = c0 + lane;
    float s = c < C ? x[blockIdx.x * C + c] : 0.0f;
    for (int m = 1; m < 32; m *= 2) {
      const float left = __shfl_up_sync(0xffffffffu, s, m);
      if (lane >= m) s += left;
    }
    s += before;
    if (c < C) y[blockIdx.x * C + c] = s;
    before = __shfl_sync(0xffffffffu, s, 31);
  }
}
