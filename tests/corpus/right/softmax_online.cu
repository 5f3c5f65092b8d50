// SPDX-License-Identifier: Apache-2.0
// One pass for maximum and sum together, a warp per row.
// op: normalize/softmax
// bind: R = 64, C = 256
// expect: accepted
//@ candidate softmax
//@ structure online-warp
//@ launch softmax grid(ceildiv(R, 2)) block(32, 2) args(x, y, R, C)
extern "C" __global__ void softmax(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * 2 + threadIdx.y;
  if (r >= R) return;
  const float* row = x + (long long)r * C;
  float top = -3.402823466e38f, z = 0;
  for (int c = threadIdx.x; c < C; c += 32) {
    const float v = row[c], t = fmaxf(top, v);
    z = z * expf(top - t) + expf(v - t);
    top = t;
  }
  for (int m = 16; m > 0; m /= 2) {
    const float t2 = __shfl_xor_sync(0xffffffffu, top, m), z2 = __shfl_xor_sync(0xffffffffu, z, m), t = fmaxf(top, t2);
    z = (z > 0 ? z * expf(top - t) : 0.0f) + (z2 > 0 ? z2 * expf(t2 - t) : 0.0f);
    top = t;
  }
  for (int c = threadIdx.x; c < C; c += 32) y[(long long)r * C + c] = expf(row[c] - top) / z;
}
