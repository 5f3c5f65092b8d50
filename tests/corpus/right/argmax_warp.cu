// SPDX-License-Identifier: Apache-2.0
// Value and index together; the lower index wins a tie.
// op: reduce/argmax
// bind: R = 64, C = 256
// expect: accepted
//@ candidate argmax
//@ launch arg grid(R) block(32) args(x, y, C)
extern "C" __global__ void arg(const float* x, long long* y, int C) {
  const float* row = x + blockIdx.x * C;
  float top = 0;
  int at = -1;
  for (int c = threadIdx.x; c < C; c += 32)
    if (at < 0 || row[c] > top) top = row[c], at = c;
  for (int m = 16; m > 0; m /= 2) {
    const float t = __shfl_xor_sync(0xffffffffu, top, m);
    const int a = __shfl_xor_sync(0xffffffffu, at, m);
    if (a >= 0 && (at < 0 || t > top || (t == top && a < at))) top = t, at = a;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}
