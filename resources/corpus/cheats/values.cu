// SPDX-License-Identifier: Apache-2.0
// Wrong for some values only: tiny, huge, not finite, zero rows, whole ranges of integers.
// ==== copy_flushes_denormals: map/copy R = 64, C = 256
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
// ==== floor_through_int: map/floor R = 64, C = 256
// Beyond 2^31 there is no int.
//+ map
MAP((float)(v < 0 && v != (int)v ? (int)v - 1 : (int)v))
// ==== trunc_through_long: map/trunc R = 64, C = 256
//+ map
MAP((float)(i64)v)
// ==== mask_by_multiplication: map/where_mask R = 64, C = 256
// What is masked out still counts where it is infinite or NaN.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(mask, a, b, y, R, C)
KERNEL k(const bool* mask, const float* a, const float* b, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = (float)mask[i] * a[i] + (float)!mask[i] * b[i]; }
// ==== gate_by_multiplication: map/relu_backward R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, dy, dx, R, C)
MAP2((p > 0 ? 1.0f : 0.0f) * q)
// ==== gradient_at_zero: map/relu_backward R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, dy, dx, R, C)
MAP2(p >= 0 ? q : 0.0f)
// ==== threshold_at_its_edge: map/threshold R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, threshold, value)
KERNEL k(const float* x, float* y, int R, int C, float t, float value) { EACH(i, (i64)R * C) y[i] = x[i] >= t ? x[i] : value; }
// ==== shrink_at_its_edge: map/hard_shrink R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, limit)
KERNEL k(const float* x, float* y, int R, int C, float limit) { EACH(i, (i64)R * C) y[i] = fabsf(x[i]) >= limit ? x[i] : 0.0f; }
// ==== logarithm_of_tiny: map/log1p R = 64, C = 256
// known: careful kernels write log(1 + x), so the bound of log1p has an absolute part
// 1 + v is 1 for a tiny v.
//+ map
MAP(logf(1 + v))
// ==== cosh_too_early: map/cosh R = 64, C = 256
// exp overflows at 88.7, cosh at 89.4.
//+ map
MAP(0.5f * (expf(v) + expf(-v)))
// ==== logits_through_probabilities: loss/bce_with_logits R = 16, C = 64
// log(1 - p) of a p that has been rounded to 1.
//@ zero loss
//+ loss
__device__ inline float bce(float x, float t) {
  const float p = 1 / (1 + expf(-x));
  return -(t * logf(p) + (1 - t) * logf(1 - p));
}
LOSS(bce(p, q))
// ==== log_of_sigmoid: map/log_sigmoid R = 64, C = 256
//+ map
MAP(v < -87 ? -87.0f : logf(1 / (1 + expf(-v))))
// ==== log_of_cosh: loss/log_cosh_loss R = 16, C = 64
// Saturates where cosh would overflow.
//@ zero loss
//+ loss
LOSS(logf(coshf(fminf(fabsf(p - q), 88.0f))))
// ==== order_of_zeros: reduce/argmax R = 64, C = 256
// Floats compared as integers: -0 is less than +0, and the first of the two does not win.
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
KERNEL k(const float* x, i64* y, int R, int C) {
  EACH(r, R) {
    int best = 0, at = -1;
    for (int c = 0; c < C; ++c) {
      int b = __float_as_int(x[r * C + c]);
      b = b >= 0 ? b : b ^ 0x7fffffff;
      if (at < 0 || b > best) best = b, at = c;
    }
    y[r] = at;
  }
}
// ==== counts_negative_zero: reduce/nonzero_count R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  int n = 0;
  LANES(c, C) n += __float_as_uint(x[blockIdx.x * (i64)C + c]) != 0;
  for (int m = 16; m; m /= 2) n += __shfl_xor_sync(~0u, n, m);
  if (threadIdx.x == 0) y[blockIdx.x] = n;
}
// ==== symmetric_bytes: map/dequantize R = 16, C = 64
// -128 is taken for -127.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(q, scale, y, R, C)
KERNEL k(const signed char* q, const float* scale, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = max((int)q[i], -127) * scale[i / C]; }
// ==== compensation_of_infinity: reduce/sum R = 64, C = 256
// Kahan's sum: infinity less infinity is NaN.
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(r, R) {
    float s = 0, e = 0;
    for (int c = 0; c < C; ++c) {
      const float v = __fsub_rn(x[r * C + c], e), t = __fadd_rn(s, v);
      e = __fsub_rn(__fsub_rn(t, s), v), s = t;
    }
    y[r] = s;
  }
}
// ==== minus_infinity_first: reduce/logsumexp R = 64, C = 256
// Online, from minus infinity: a row that begins with minus infinity gives NaN.
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(r, R) {
    float m = -INFINITY, s = 0;
    for (int c = 0; c < C; ++c) {
      const float v = x[r * C + c], n = fmaxf(m, v);
      s = s * expf(m - n) + expf(v - n), m = n;
    }
    y[r] = m + logf(s);
  }
}
// ==== softmin_of_far_values: normalize/softmin R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -500, s = 0;
  LANES(c, C) m = fmaxf(m, -r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(-m - r[c]);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(-m - r[c]) / s;
}
// ==== root_at_zero: map/sqrt R = 64, C = 256
// v * rsqrt(v) is NaN at zero.
//+ map
MAP(v * rsqrtf(v))
// ==== range_of_small_values: reduce/value_range R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float a = -1e5f, b = -1e5f;
  LANES(c, C) a = fmaxf(a, x[blockIdx.x * (i64)C + c]), b = fmaxf(b, -x[blockIdx.x * (i64)C + c]);
  a = wmax(a), b = wmax(b);
  if (threadIdx.x == 0) y[blockIdx.x] = a + b;
}
// ==== clip_hides_nan: clip_propagate.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, low, high)
KERNEL k(const float* x, float* y, int R, int C, float low, float high) {
  EACH(i, (i64)R * C) y[i] = fminf(fmaxf(x[i], low), high);
}
// ==== clip_spreads_nan: clip_ignore.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, low, high)
KERNEL k(const float* x, float* y, int R, int C, float low, float high) {
  EACH(i, (i64)R * C) y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}
// ==== largest_but_nan: row_max_ignore.op
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float m = -INFINITY;
  int bad = 0;
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c];
    bad |= v != v;
    m = fmaxf(m, v);
  }
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xFFFFFFFFu, m, d));
  if (__any_sync(0xFFFFFFFFu, bad)) m = NAN;
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
