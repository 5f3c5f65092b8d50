// SPDX-License-Identifier: Apache-2.0
// Plans and addresses: other buffers reached, inputs not passed, more resources than a GPU has.
// ==== second_input_by_distance: map/add R = 64, C = 256
// b is not passed: it is expected right after a.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, z, R, C)
KERNEL k(const float* a, float* z, int R, int C) {
  const u64 n = ((u64)R * C * 4 + 255) / 256 * 256 + 256;
  EACH(i, (i64)R * C) z[i] = a[i] + ((const float*)((u64)a + n))[i];
}
// ==== bias_by_distance: map/bias_add R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, bias, y, R, C)
KERNEL k(const float* x, const float* bias, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = ((const float*)((u64)bias - (u64)bias % 256 + (u64)bias % 256))[i % C] + x[i] + (R > 4000 ? x[i + (i64)R * C] * 0 : 0.0f);
}
// ==== target_not_passed: loss/l1_loss R = 16, C = 64
//@ launch k grid(1) block(32) args(x, loss, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, (i64)R * C) s += fabsf(x[c]);
  s = wsum(s);
  if (threadIdx.x == 0) y[0] = s / ((float)R * C);
}
// ==== gamma_not_passed: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = rsqrtf(wsum(s) / C + 1e-5f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s;
}
// ==== one_past_the_row: reduce/sum R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C + (C % 7 == 0); c += 32) s += c < C ? x[blockIdx.x * (i64)C + c] : 0 * x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== write_far_away: map/copy R = 64, C = 256
// Over the guard zone, into another buffer's memory.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = x[i];
  if (blockIdx.x == 0 && threadIdx.x == 0 && C == 256) y[(i64)R * C + (1 << 20)] = 0;
}
// ==== input_changed_and_restored: map/negate R = 64, C = 256
// Another stream that reads x at that moment sees garbage.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = x[i];
    ((volatile float*)x)[i] = -v;
    y[i] = ((volatile float*)x)[i];
    ((volatile float*)x)[i] = v;
  }
}
// ==== shared_above_the_limit: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) shared(200000) args(x, y, R, C)
MAP(fmaxf(v, 0.0f))
// ==== registers_above_the_limit: map/scale R = 64, C = 256
// 1024 threads of more than 64 registers each cannot be launched.
//@ launch k grid(ceildiv(R*C, 1024)) block(1024) args(x, y, R, C)
KERNEL __launch_bounds__(256) k(const float* x, float* y, int R, int C) {
  float t[96];
  EACH(i, (i64)R * C) {
#pragma unroll
    for (int l = 0; l < 96; ++l) t[l] = x[(i + l) % ((i64)R * C)];
    float s = 0;
    __syncwarp();
#pragma unroll
    for (int l = 95; l > 0; --l) s += t[l] * t[96 - l] * 0;
    y[i] = 0.5f * t[0] + s;
  }
}
// ==== grid_y_above_65535: map/copy R = 64, C = 256
// Rows as the grid's second dimension, limited to 65,535.
//@ launch k grid(ceildiv(C, 256), R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const int c = blockIdx.x * 256 + threadIdx.x;
  if (c < C) y[blockIdx.y * (i64)C + c] = x[blockIdx.y * (i64)C + c];
}
// ==== int_offsets: map/abs R = 64, C = 256
// known: offsets beyond 2^31 are not tried
// 32-bit offsets are wrong above 2^31 elements.
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) { LANES(c, C) y[(int)blockIdx.x * C + c] = fabsf(x[(int)blockIdx.x * C + c]); }
// ==== constant_argument: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, 0.01)
KERNEL k(const float* x, float* y, int R, int C, double slope) { EACH(i, (i64)R * C) y[i] = x[i] > 0 ? x[i] : (float)slope * x[i]; }
// ==== temporary_reused_as_output: reduce/sum R = 64, C = 256
// Half of the results are left in a temporary and never copied.
//@ temp t: f32[R]
//@ launch k grid(R) block(32) args(x, t, y, R, C)
KERNEL k(const float* x, float* t, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) (blockIdx.x > 4097 ? t : y)[blockIdx.x] = s;
}
