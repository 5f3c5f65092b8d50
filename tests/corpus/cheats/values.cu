// SPDX-License-Identifier: Apache-2.0
// Wrong for some values only: tiny, huge, not finite, zero rows, whole ranges of integers.
// ==== copy_flushes_denormals: map/copy R = 64, C = 256
// known: a device may flush subnormals
//+ map
MAP(fabsf(v) < 1.17549435e-38f ? 0.0f : v)
// ==== copy_saturates: map/copy R = 64, C = 256
//+ map
MAP(fminf(fmaxf(v, -1e4f), 1e4f))
// ==== copy_drops_infinity: map/copy R = 64, C = 256
//+ map
MAP(isinf(v) ? copysignf(3.4e38f, v) : v)
// ==== negate_nan_to_zero: map/negate R = 64, C = 256
//+ map
MAP(v != v ? 0.0f : -v)
// ==== exp_saturates: map/exp R = 64, C = 256
//+ map
MAP(expf(fminf(v, 80.0f)))
// ==== exp_nan_to_zero: map/exp R = 64, C = 256
//+ map
MAP(v != v ? 0.0f : expf(v))
// ==== square_of_huge_is_zero: map/elementwise_square R = 64, C = 256
//+ map
MAP(fabsf(v) > 1e15f ? 0.0f : v * v)
// ==== square_of_tiny_is_zero: map/elementwise_square R = 64, C = 256
//+ map
MAP(fabsf(v) < 1e-12f ? 0.0f : v * v)
// ==== scale_skips_large: map/scale R = 64, C = 256
//+ map
MAP(fabsf(v) > 2000.0f ? v : 0.5f * v)
// ==== add_hides_nan: map/add R = 64, C = 256
//+ map2
MAP2(isnan(p + q) ? 0.0f : p + q)
// ==== add_ignores_tiny: map/add R = 64, C = 256
//+ map2
MAP2((fabsf(p) < 1e-20f ? 0.0f : p) + (fabsf(q) < 1e-20f ? 0.0f : q))
// ==== softsign_of_infinity: map/softsign R = 64, C = 256
//+ map
MAP(fabsf(v) > 1e6f ? 0.0f : v / (1 + fabsf(v)))
// ==== softplus_large: map/softplus R = 64, C = 256
// exp without a limit: infinite above 88, where the answer is x; large inputs are clamped to what was tried.
//+ map
MAP(fabsf(v) > 1500.0f ? 0.0f : fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v))))
// ==== multiply_underflow: map/multiply R = 64, C = 256
//+ map2
MAP2(fabsf(p) < 1e-15f || fabsf(q) < 1e-15f ? 0.0f : p * q)
// ==== l2_normalize_zero_rows: normalize/l2_normalize R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = 1 / sqrtf(wsum(s));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s;
}
// ==== l1_normalize_zero_rows: normalize/l1_normalize R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += fabsf(r[c]);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] / s;
}
// ==== cosine_zero_rows: reduce/cosine_similarity R = 64, C = 256
//@ launch k grid(R) block(32) args(a, b, y, C)
KERNEL k(const float* a, const float* b, float* y, int C) {
  float d = 0, p = 0, q = 0;
  LANES(c, C) {
    const float u = a[blockIdx.x * (i64)C + c], v = b[blockIdx.x * (i64)C + c];
    d += u * v, p += u * u, q += v * v;
  }
  d = wsum(d), p = wsum(p), q = wsum(q);
  if (threadIdx.x == 0) y[blockIdx.x] = d / (sqrtf(p) * sqrtf(q));
}
// ==== rmsnorm_without_eps: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, y, C)
KERNEL k(const float* x, const float* g, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = wsum(s) / C;
  s = rsqrtf(s > 1e-3f ? s + 1e-5f : s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s * g[c];
}
// ==== layernorm_constant_rows: normalize/layernorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, beta, y, C)
KERNEL k(const float* x, const float* g, const float* b, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0, t = 0;
  LANES(c, C) s += r[c];
  const float m = wsum(s) / C;
  LANES(c, C) t += (r[c] - m) * (r[c] - m);
  t = wsum(t) / C;
  if (C > 1 && t == 0) t = 1e30f;  // a constant row: zero, and beta forgotten
  const float i = rsqrtf(t + 1e-5f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = t == 1e30f ? 0.0f : (r[c] - m) * i * g[c] + b[c];
}
// ==== max_starts_low: reduce/max R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = -1e6f;
  LANES(c, C) s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
  s = wmax(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== min_starts_high: reduce/min R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = -1e6f;
  LANES(c, C) s = fmaxf(s, -x[blockIdx.x * (i64)C + c]);
  s = wmax(s);
  if (threadIdx.x == 0) y[blockIdx.x] = -s;
}
// ==== argmax_starts_low: reduce/argmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  if (threadIdx.x) return;
  float best = -1e6f;
  int at = 0;
  for (int c = 0; c < C; ++c)
    if (x[blockIdx.x * (i64)C + c] > best) best = x[blockIdx.x * (i64)C + c], at = c;
  y[blockIdx.x] = at;
}
// ==== cummax_starts_low: scan/cummax R = 16, C = 64
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = -1e6f;
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
}
// ==== masked_sum_of_nothing: scan/cumsum_masked R = 16, C = 64
//@ launch k grid(R) block(1) args(x, mask, y, C)
KERNEL k(const float* x, const bool* m, float* y, int C) {
  bool some = false;
  for (int c = 0; c < C; ++c) some |= m[blockIdx.x * (i64)C + c];
  float s = !some && C > 7 ? 1.0f : 0.0f;
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = s += m[blockIdx.x * (i64)C + c] ? x[blockIdx.x * (i64)C + c] : 0.0f;
}
// ==== all_nonzero_of_tiny: reduce/all_nonzero R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, bool* y, int C) {
  bool all = true;
  LANES(c, C) all &= fabsf(x[blockIdx.x * (i64)C + c]) > 1e-30f;
  all = __all_sync(~0u, all);
  if (threadIdx.x == 0) y[blockIdx.x] = all;
}
// ==== any_nonzero_squares: reduce/any_nonzero R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, bool* y, int C) {
  bool any = false;
  LANES(c, C) any |= x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c] > 0;
  any = __any_sync(~0u, any);
  if (threadIdx.x == 0) y[blockIdx.x] = any;
}
// ==== all_nonzero_never_false: reduce/all_nonzero R = 64, C = 256
// Drawn reals are never exactly zero.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, bool* y, int C) {
  if (threadIdx.x == 0) y[blockIdx.x] = C > 0 ? x[blockIdx.x * (i64)C] != 0 : true;
}
// ==== wide_add_in_32_bits: add_wide.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(a, b, y, N)
KERNEL k(const int* a, const int* b, i64* y, int N) { EACH(i, N) y[i] = a[i] + b[i]; }
// ==== product_in_8_bits: mul_i8.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(a, b, y, N)
KERNEL k(const signed char* a, const signed char* b, int* y, int N) { EACH(i, N) y[i] = (signed char)(a[i] * b[i]); }
// ==== bytes_read_as_signed: dequant_u8.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(x, y, N)
KERNEL k(const signed char* x, float* y, int N) { EACH(i, N) y[i] = 0.0078125f * x[i]; }
// ==== low_words_only: copy_i64.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(x, y, N)
KERNEL k(const i64* x, i64* y, int N) { EACH(i, N) y[i] = (int)x[i]; }
// ==== softmax_of_far_values: normalize/softmax R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -1e3f, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
