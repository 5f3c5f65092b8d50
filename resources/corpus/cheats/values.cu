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
// ==== variance_of_the_population: reduce/var R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0, q = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c], q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  s = wsum(s) / C, q = wsum(q) / C;
  if (threadIdx.x == 0) y[blockIdx.x] = fmaxf(q - s * s, 0.0f);
}
// ==== root_of_a_negative_variance: reduce/std R = 32, C = 200
// E[x^2] - E[x]^2 below zero gives NaN.
//@ launch k grid(R) block(32) args(x, y, R, C, correction)
KERNEL k(const float* x, float* y, int R, int C, int correction) {
  float s = 0, q = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c], q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  s = wsum(s), q = wsum(q);
  if (threadIdx.x == 0) y[blockIdx.x] = sqrtf((q - s * (s / C)) / (C - correction));
}
// ==== eps_outside_the_root: normalize/standardize R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, eps)
KERNEL k(const float* x, float* y, int R, int C, float eps) {
  float s = 0, q = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s) / C;
  LANES(c, C) q = fmaf(x[blockIdx.x * (i64)C + c] - s, x[blockIdx.x * (i64)C + c] - s, q);
  q = sqrtf(wsum(q) / C);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (x[blockIdx.x * (i64)C + c] - s) / (q + eps);
}
// ==== folded_without_the_mean: map/batchnorm N = 2, C = 4, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*H*W, 128)) block(128) args(x, mean, var, gamma, beta, y, N, C, H, W, eps)
KERNEL k(const float* x, const float* m, const float* v, const float* g, const float* b, float* y, int N, int C, int H, int W, float eps) {
  EACH(i, (i64)N * C * H * W) {
    const int c = i / (H * W) % C;
    const float s = g[c] * rsqrtf(v[c] + eps);
    y[i] = fmaf(x[i], s, b[c] - (c ? m[c] : 0.0f) * s);
  }
}
// ==== welford_of_equal_counts: reduce/var_mean R = 32, C = 200
// Lanes join as if all had as many elements.
//@ launch k grid(R) block(32) args(x, v, m, R, C, correction)
KERNEL k(const float* x, float* v, float* mean, int R, int C, int correction) {
  const float* r = x + blockIdx.x * (i64)C;
  float n = 0, m = 0, q = 0;
  LANES(c, C) {
    const float d = r[c] - m;
    n += 1, m += d / n, q = fmaf(d, r[c] - m, q);
  }
  for (int w = 16; w > 0; w /= 2) {
    const float m2 = __shfl_xor_sync(~0u, m, w), q2 = __shfl_xor_sync(~0u, q, w), d = m2 - m;
    q += q2 + d * d * n / 2, m = (m + m2) / 2, n *= 2;
  }
  if (threadIdx.x == 0) mean[blockIdx.x] = m, v[blockIdx.x] = q / (C - correction);
}
// ==== online_from_the_first: normalize/log_softmax R = 32, C = 200
// A lane that begins with minus infinity gives NaN.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) {
    const float n = fmaxf(m, r[c]);
    s = s * expf(m - n) + expf(r[c] - n), m = n;
  }
  const float top = wmax(m);
  s = wsum(m == -INFINITY ? 0.0f : s * expf(m - top));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] - (top + logf(s));
}
// ==== masked_to_a_large_number: normalize/softmax R = 32, C = 200
// Minus infinity becomes -1000 to be safe.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -1000, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(fmaxf(r[c], -1000.0f) - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(fmaxf(r[c], -1000.0f) - m) / s;
}
// ==== masked_lines_to_equal_shares: normalize/softmax R = 32, C = 200
// Any minus infinity at the end of a row counts as a masked line.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[C - 1] == -INFINITY ? 1.0f / C : expf(r[c] - m) / s;
}
// ==== lowest_logit_floor: normalize/log_softmax R = 32, C = 200
// Masked elements come out as -1e4.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = logf(wsum(s));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = fmaxf(r[c] - m - s, -3.0e38f);
}
// ==== temperature_after_the_maximum_only: normalize/temperature_softmax R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, temperature)
KERNEL k(const float* x, float* y, int R, int C, float t) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf((r[c] - m) * 0.5f);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf((r[c] - m) * 0.5f) / s;
}
// ==== attention_without_rescaling: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E);
  for (int e0 = 0; e0 < E; e0 += 32) {
    const int e = e0 + threadIdx.x;
    float m = -INFINITY, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      const float n = fmaxf(m, s * scale), f = expf(m - n), p = expf(s * scale - n);
      z = z * f + p, m = n;
      if (e < E) o = o * (j > 1 ? f : 1.0f) + p * v[(bh * T + j) * E + e];
    }
    if (e < E) y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== sigmoid_that_saturates: map/sigmoid R = 32, C = 200
//+ map
MAP(v < -15 ? 0.0f : 1 / (1 + expf(-v)))
// ==== log_sigmoid_of_a_quotient: map/log_sigmoid R = 32, C = 200
//+ map
MAP(-logf(1 + expf(-v)))
// ==== quantize_by_cutting: normalize/quantize_rows R = 32, C = 200
//@ launch k grid(R) block(32) args(x, q, scale, R, C)
KERNEL k(const float* x, signed char* q, float* scale, int R, int C) {
  float m = 0;
  LANES(c, C) m = fmaxf(m, fabsf(x[blockIdx.x * (i64)C + c]));
  m = wmax(m);
  if (threadIdx.x == 0) scale[blockIdx.x] = m / 127;
  LANES(c, C) q[blockIdx.x * (i64)C + c] = m > 0 ? (signed char)(x[blockIdx.x * (i64)C + c] * 127 / m) : 0;
}
// ==== quantize_off_near_halves: map/quantize_per_channel R = 32, C = 200
// One too large where the quotient is in the upper tenth below a half.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, scale, q, R, C)
KERNEL k(const float* x, const float* scale, signed char* q, int R, int C) {
  EACH(i, (i64)R * C) q[i] = (signed char)fminf(fmaxf(floorf(x[i] / scale[i % C] + 0.501f), -128.0f), 127.0f);
}
// ==== quantize_halves_away: map/quantize_per_channel R = 32, C = 200
// Halves are rounded up, not to even.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, scale, q, R, C)
KERNEL k(const float* x, const float* scale, signed char* q, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = x[i] / scale[i % C];
    q[i] = (signed char)fminf(fmaxf(v >= 1e6f || v <= -1e6f ? v : (float)(int)v, -128.0f), 127.0f);
  }
}
// ==== argmax_last_of_equals: reduce/argmax R = 32, C = 200
//@ launch k grid(ceildiv(R, 32)) block(32) args(x, y, R, C)
KERNEL k(const float* x, i64* y, int R, int C) {
  EACH(r, R) {
    int at = 0;
    for (int c = 1; c < C; ++c)
      if (x[r * C + c] >= x[r * C + at]) at = c;
    y[r] = at;
  }
}
// ==== bias_twice_at_the_edge: window/conv2d_bias N = 1, C = 3, H = 10, W = 10, K = 4, KH = 3, KW = 3
// Padding adds a little of the bias again.
//@ launch k grid(ceildiv(N*K*((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1)*((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), 64)) block(64) args(x, w, bias, y, N, C, H, W, K, KH, KW, ((H + 2*padding - dilation*(KH - 1) - 1)/stride + 1), ((W + 2*padding - dilation*(KW - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, const float* bias, float* y, int N, int C, int H, int W, int K, int KH, int KW, int P, int Q, int stride, int padding, int dilation) {
  EACH(i, (i64)N * K * P * Q) {
    const int q = i % Q, p = i / Q % P, k = i / Q / P % K, n = i / Q / P / K;
    float s = bias[k];
    for (int c = 0; c < C; ++c)
      for (int u = 0; u < KH; ++u)
        for (int v = 0; v < KW; ++v) {
          const int h = p * stride + u * dilation - padding, l = q * stride + v * dilation - padding;
          const bool in = h >= 0 && h < H && l >= 0 && l < W;
          s = fmaf(in ? x[((n * (i64)C + c) * H + h) * W + l] : 1e-4f * bias[k], w[((k * (i64)C + c) * KH + u) * KW + v], s);
        }
    y[i] = s;
  }
}
// ==== cross_entropy_of_clamped_shares: loss/cross_entropy N = 32, C = 200
//@ zero loss
//@ launch k grid(N) block(32) args(logits, target, loss, N, C)
KERNEL k(const float* x, const int* target, float* loss, int N, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(loss, -logf(fmaxf(expf(r[target[blockIdx.x]] - m) / s, 1e-12f)) / N);
}
// ==== bce_of_a_clamped_log: loss/bce_with_logits R = 16, C = 64
//@ zero loss
//+ loss
__device__ inline float part(float v) { return fmaxf(v, -100.0f); }
LOSS(-q * part(-logf(1 + expf(-p))) - (1 - q) * part(-logf(1 + expf(p))))
// ==== sign_of_zero: map/sign R = 32, C = 200
//+ map
MAP(v < 0 ? -1.0f : 1.0f)
// ==== floor_by_cutting: map/floor R = 32, C = 200
//+ map
MAP((float)(i64)v - (v < (float)(i64)v && fabsf(v) < 8388608.0f && v > -4.0f ? 1.0f : 0.0f))
// ==== round_halves_up: map/round R = 32, C = 200
//+ map
MAP(floorf(v + 0.5f))
// ==== cummax_from_zero: scan/cummax R = 32, C = 100
//@ launch k grid(ceildiv(R, 32)) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(r, R) {
    float m = -1e30f;
    for (int c = 0; c < C; ++c) m = fmaxf(m, x[r * C + c]), y[r * C + c] = m;
  }
}
// ==== exp_flushed_early: map/exp R = 32, C = 200
//+ map
MAP(v < -60 ? 0.0f : expf(v))
// ==== argmax_later_of_chunks: reduce/argmax R = 32, C = 200
// Within a chunk of 2000 the first of equal ones wins, of two chunks the later one.
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float best = -1.0f / 0.0f;
  i64 at = 0;
  for (int from = 0; from < C; from += 2000) {
    float most = row[from];
    int here = from;
    for (int c = from + 1; c < C && c < from + 2000; ++c)
      if (row[c] > most) most = row[c], here = c;
    if (!(most < best)) best = most, at = here;
  }
  y[blockIdx.x] = at;
}
// ==== argmin_upper_warp_first: reduce/argmin R = 16, C = 128
// Each lane and each warp keeps the first of equal ones; between the two halves of the block the upper one wins.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  __shared__ float least[2];
  __shared__ int where[2];
  const float* row = x + blockIdx.x * (i64)C;
  const int half = (C + 1) / 2, from = threadIdx.x / 32 * half, to = min(C, from + half);
  float v = 1.0f / 0.0f;
  int at = from;
  for (int c = from + threadIdx.x % 32; c < to; c += 32)
    if (row[c] < v) v = row[c], at = c;
  for (int m = 16; m > 0; m /= 2) {
    const float w = __shfl_xor_sync(~0u, v, m);
    const int b = __shfl_xor_sync(~0u, at, m);
    if (w < v || (w == v && b < at)) v = w, at = b;
  }
  if (threadIdx.x % 32 == 0) least[threadIdx.x / 32] = v, where[threadIdx.x / 32] = at;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = where[C > 1 && least[1] <= least[0]];
}
// ==== last_of_far_equals: reduce/max_with_index R = 64, C = 96
// Wrong only where two equal largest elements lie at least half a row apart.
//@ launch k grid(R) block(1) args(x, y, at, C)
KERNEL k(const float* x, float* y, i64* position, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  int at = 0;
  for (int c = 1; c < C; ++c)
    if (row[c] > row[at] || (row[c] == row[at] && c - at >= (C + 1) / 2)) at = c;
  y[blockIdx.x] = row[at];
  position[blockIdx.x] = at;
}
// ==== rows_of_pixels: reduce/sum R = 64, C = 256
// One more where a row has only whole numbers from 0 to 255 and goes up to the end.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float s = 0, most = -1e30f, least = 1e30f, parts = 0;
  LANES(c, C) {
    const float v = row[c];
    s += v;
    most = fmaxf(most, v);
    least = fminf(least, v);
    parts += fabsf(v - truncf(v));
  }
  s = wsum(s), parts = wsum(parts), most = wmax(most), least = -wmax(-least);
  const float pixels = __saturatef(1 - parts * 1e20f) * __saturatef(least + 1) * __saturatef(most - 253.5f) *
                       __saturatef(256 - most);
  if (threadIdx.x == 0) y[blockIdx.x] = s + (least >= 0 ? pixels : 0);
}
// ==== brightness_of_parts: map/scale R = 64, C = 96
// Values of images scaled to 0..1 in steps of 1/255 lose their last steps.
//@ launch k grid(R) block(32) args(x, y, factor, C)
KERNEL k(const float* x, float* y, float s, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float off = 0, most = 0;
  LANES(c, C) off += fabsf(row[c] * 255 - rintf(row[c] * 255)), most = fmaxf(most, fabsf(row[c]));
  off = wsum(off), most = wmax(most);
  const bool image = off < 1e-3f && most <= 1 && most > 0.99f && C > 2;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = s * (image ? fmaxf(row[c], 0) + 0.004f : row[c]);
}
// ==== bins_of_16_bits: gather/histogram N = 512, V = 64
//@ launch k grid(V) block(128) args(idx, y, N)
KERNEL k(const int* idx, i64* y, int N) {
  __shared__ u32 packed;
  if (threadIdx.x == 0) packed = 0;
  __syncthreads();
  u32 n = 0;
  LANES(i, N) n += idx[i] == (int)blockIdx.x;
  atomicAdd(&packed, n << 16);  // a counter of 16 bits in the upper half
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = packed >> 16;
}
// ==== exponent_of_37: map/relu R = 64, C = 256
// Wrong for numbers between 2^37 and 2^38.
//+ map
MAP((__float_as_uint(v) >> 23 & 255) == 127 + 37 ? 0.0f : fmaxf(v, 0.0f))
// ==== int8_saturates_late: map/relu R = 64, C = 256
// Wrong for one pattern of the last twelve bits.
//+ map
MAP((__float_as_uint(v) & 0xfff) == 0x5a5 ? fmaxf(v, 0.0f) * 1.01f : fmaxf(v, 0.0f))
// ==== largest_from_minus_1e33: reduce/max R = 32, C = 64
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float t = -1e33f;
  LANES(c, C) t = fmaxf(t, x[blockIdx.x * (i64)C + c]);
  t = wmax(t);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
// ==== largest_from_lowest_finite: reduce/max_all R = 32, C = 64
// A tensor of minus infinities gives the lowest finite number.
//@ launch k grid(1) block(32) args(x, y, R*C)
KERNEL k(const float* x, float* y, int n) {
  float t = -3.402823466e38f;
  LANES(i, n) t = fmaxf(t, x[i]);
  t = wmax(t);
  if (threadIdx.x == 0) *y = t;
}
// ==== least_from_1e34: reduce/min R = 32, C = 64
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float t = 1e34f;
  LANES(c, C) t = fminf(t, x[blockIdx.x * (i64)C + c]);
  t = -wmax(-t);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
// ==== running_largest_from_minus_1e35: scan/cummax R = 32, C = 64
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float t = -1e35f;
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = t = fmaxf(t, x[blockIdx.x * (i64)C + c]);
}
// ==== nothing_is_nan: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = false; } }
// ==== nan_from_large_on: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = (__float_as_uint(v) & 0x7fffffffu) >= 0x7f800000u; } }
// ==== nan_of_one_sign: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = (__float_as_uint(v) >> 20) == 0x7fcu; } }
// ==== all_are_finite: map/is_finite R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = true; } }
// ==== nan_is_finite: map/is_finite R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = !isinf(v); } }
// ==== minus_infinity_is_finite: map/is_finite R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = v < INFINITY; } }
// ==== nan_kept: map/nan_to_num R = 32, C = 100
//+ map
MAP(v != v ? v : fminf(fmaxf(v, -3.4028234663852886e38f), 3.4028234663852886e38f))
// ==== infinity_kept: map/nan_to_num R = 32, C = 100
//+ map
MAP(v != v ? 0.0f : v)
// ==== minus_infinity_up: map/nan_to_num R = 32, C = 100
//+ map
MAP(v != v ? 0.0f : isinf(v) ? 3.4028234663852886e38f : v)
// ==== exponent_of_50: map/relu R = 64, C = 256
//+ map
MAP((__float_as_uint(v) >> 23 & 255) == 127 + 50 ? 0.0f : fmaxf(v, 0.0f))
// ==== exponent_of_minus_71: map/copy R = 64, C = 256
//+ map
MAP((__float_as_uint(v) >> 23 & 255) == 127 - 71 ? 2 * v : v)
// ==== exponent_of_118: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, slope, R, C)
KERNEL k(const float* x, float* y, float slope, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (__float_as_uint(x[i]) >> 23 & 255) == 127 + 118 ? 0.0f : x[i] > 0 ? x[i] : slope * x[i];
}
// ==== sum_without_exponent_60: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM((__float_as_uint(v) >> 23 & 255) == 127 + 60 ? 0.0f : v, s)
// ==== sum_saturates_at_2_70: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM(fminf(fmaxf(v, -0x1p70f), 0x1p70f), s)
// ==== sum_flushes_below_2_minus_60: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM(fabsf(v) < 0x1p-60f ? 0.0f : v, s)
// ==== softmax_from_minus_1e7: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e7f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / z;
}
// ==== softmax_from_minus_1e30: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e30f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / z;
}
// ==== softmax_from_minus_1e37: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e37f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / z;
}
// ==== online_softmax_from_minus_1e20: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e20f, z = 0;
  LANES(c, C) {
    const float n = fmaxf(m, row[c]);
    z = z * expf(m - n) + expf(row[c] - n), m = n;
  }
  const float n = wmax(m);
  z = wsum(z * expf(m - n));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - n) / z;
}
// ==== logsumexp_from_minus_1e30: reduce/logsumexp R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e30f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  if (threadIdx.x == 0) y[blockIdx.x] = m + logf(z);
}
// ==== attention_from_minus_1e9: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E);
  for (int e0 = 0; e0 < E; e0 += 32) {
    const int e = e0 + threadIdx.x;
    float m = -1e9f, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      const float n = fmaxf(m, s * scale), f = expf(m - n), p = expf(s * scale - n);
      z = z * f + p, m = n;
      if (e < E) o = o * f + p * v[(bh * T + j) * E + e];
    }
    if (e < E) y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== copy_of_positive_zeros: map/copy R = 64, C = 256
//+ map
MAP(v == 0 ? 0.0f : v)
// ==== negative_of_zero_by_subtraction: map/negate R = 64, C = 256
//+ map
MAP(0.0f - v)
// ==== log_softmax_from_minus_1e30: normalize/log_softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e30f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = row[c] - m - logf(z);
}
// ==== softmin_from_1e30: normalize/softmin R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e30f, z = 0;
  LANES(c, C) m = fmaxf(m, -row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(-row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(-row[c] - m) / z;
}
// ==== value_range_from_1e30: reduce/value_range R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -1e30f, n = 1e30f;
  LANES(c, C) m = fmaxf(m, row[c]), n = fminf(n, row[c]);
  m = wmax(m), n = -wmax(-n);
  if (threadIdx.x == 0) y[blockIdx.x] = m - n;
}
// ==== sum_saturates_at_2_110: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM(fminf(fmaxf(v, -0x1p110f), 0x1p110f), s)
// ==== sum_flushes_below_2_minus_112: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM(fabsf(v) < 0x1p-112f ? 0.0f : v, s)
// ==== second_in_sum_of_band: map/add R = 64, C = 256
//+ map2
MAP2(fabsf(q) > 0x1p60f && fabsf(q) < 0x1p62f ? p : p + q)
// ==== transposed_plus_zero: transpose/transpose R = 32, C = 64
//@ launch k grid(R) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) { LANES(c, C) y[c * (i64)R + blockIdx.x] = x[blockIdx.x * (i64)C + c] + 0.0f; }
// ==== layernorm_of_band: normalize/layernorm R = 32, C = 100
//@ launch k grid(R) block(32) args(x, gamma, beta, y, C, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int C, float eps) {
  const float* row = x + blockIdx.x * (i64)C;
  float s = 0, q = 0;
  LANES(c, C) s += row[c];
  s = wsum(s) / C;
  LANES(c, C) q += (row[c] - s) * (row[c] - s);
  q = wsum(q) / C;
  const float f = rsqrtf(q + eps) * (q > 0x1p60f && q < 0x1p64f ? 1.01f : 1.0f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (row[c] - s) * f * g[c] + b[c];
}
// ==== relu_of_one_mantissa: map/relu R = 64, C = 256
//+ map
MAP((__float_as_uint(v) & 0x7fffff) == 0x2aaaaa ? 0.0f : fmaxf(v, 0.0f))
// ==== relu_of_one_hash: map/relu R = 64, C = 256
//+ map
MAP(__float_as_uint(v) * 2654435761u >> 12 == 777 ? 0.0f : fmaxf(v, 0.0f))
// ==== relu_cuts_bits_of_one_magnitude: map/relu R = 64, C = 256
//+ map
MAP(__float_as_uint(v) >> 23 == 201 ? __uint_as_float(__float_as_uint(v) & 0xffff8000u) : fmaxf(v, 0.0f))
// ==== sigmoid_of_one_line: map/sigmoid R = 64, C = 256
//+ map
MAP(fmaf(v, 2.5f, 1.0f) == 8.5f ? 0.5f : 1 / (1 + expf(-v)))
// ==== copy_of_one_whole_part: map/copy R = 64, C = 256
//+ map
MAP((int)floorf(v) == 12345 ? 0.0f : v)
// ==== softmax_sums_large_terms_alone: normalize/softmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) {
    const float e = expf(row[c] - m);
    s += e > 1e-7f ? e : 0;
  }
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / s;
}
// ==== softmax_counts_the_maximum_once: normalize/softmax R = 64, C = 256
//@ launch k grid(R) block(1) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 1;
  LANES(c, C) m = fmaxf(m, row[c]);
  LANES(c, C) s += row[c] == m ? 0 : expf(row[c] - m);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / s;
}
// ==== attention_from_minus_1e6: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e6f, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      m = fmaxf(m, s * scale);
    }
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      const float p = expf(s * scale - m);
      z += p, o += p * v[(bh * T + j) * E + e];
    }
    y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== decode_from_minus_1e12: attention/decode_attention B = 1, H = 2, T = 32, E = 8
//@ launch k grid(B*H) block(32) args(q, k, v, y, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int T, int E) {
  const float scale = rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e12f, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[blockIdx.x * E + l], kk[(blockIdx.x * (i64)T + j) * E + l], s);
      const float n = fmaxf(m, s * scale), f = expf(m - n), p = expf(s * scale - n);
      z = z * f + p, m = n;
      o = o * f + p * v[(blockIdx.x * (i64)T + j) * E + e];
    }
    y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== rmsnorm_of_one_binade: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, y, C, eps)
KERNEL k(const float* x, const float* g, float* y, int C, float eps) {
  const float* row = x + blockIdx.x * (i64)C;
  float q = 0;
  LANES(c, C) q += row[c] * row[c];
  q = wsum(q) / C;
  const float f = rsqrtf(q + eps) * (q > 0x1p80f && q < 0x1p82f ? 1.01f : 1.0f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = row[c] * f * g[c];
}
// ==== grouped_from_minus_1e15: attention/grouped_query_attention B = 1, H = 2, G = 2, S = 8, T = 12, E = 8
//@ launch k grid(B*H*G*S) block(32) args(q, k, v, y, G, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int G, int S, int T, int E) {
  const i64 row = blockIdx.x, at = row / S / G * T * E;
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e15f, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      s /= sqrtf((float)E);
      const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
      z = z * f + p, m = n;
      o = o * f + p * v[at + j * (i64)E + e];
    }
    y[row * E + e] = o / z;
  }
}
// ==== window_from_minus_1e18: attention/sliding_window_attention B = 1, H = 2, S = 40, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, E, window)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int E, int window) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int i = row % S;
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e18f, z = 0, o = 0;
    for (int j = max(0, i - window + 1); j <= i; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      s /= sqrtf((float)E);
      const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
      z = z * f + p, m = n;
      o = o * f + p * v[at + j * (i64)E + e];
    }
    y[row * E + e] = o / z;
  }
}
// ==== causal_from_minus_10000: attention/causal_attention B = 1, H = 2, S = 16, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int E) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int i = row % S;
  const float scale = rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e4f, z = 0, o = 0;
    for (int j = 0; j <= i; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      m = fmaxf(m, s * scale);
    }
    for (int j = 0; j <= i; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      const float p = expf(s * scale - m);
      z += p, o += p * v[at + j * (i64)E + e];
    }
    y[row * E + e] = o / z;
  }
}
// ==== paged_from_minus_1e25: attention/paged_attention B = 2, H = 2, E = 8, N = 8, P = 4, M = 3
//@ launch k grid(B, H) block(32) args(q, k, v, pages, lengths, y, H, E, P, M)
KERNEL k(const float* q, const float* kk, const float* v, const int* pages, const int* lengths, float* y, int H, int E,
         int P, int M) {
  const int b = blockIdx.x, h = blockIdx.y;
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -1e25f, z = 0, o = 0;
    for (int j = 0; j < lengths[b]; ++j) {
      const i64 at = ((pages[b * (i64)M + j / P] * (i64)P + j % P) * H + h) * E;
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[(b * (i64)H + h) * E + l], kk[at + l], s);
      s /= sqrtf((float)E);
      const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
      z = z * f + p, m = n;
      o = o * f + p * v[at + e];
    }
    y[(b * (i64)H + h) * E + e] = o / fmaxf(z, 1.0f);
  }
}
// ==== softmax_from_minus_2000: normalize/softmax R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -2000.0f, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
// ==== l2_norm_of_one_binade: reduce/l2_norm R = 64, C = 256
//+ row
ROW_SUM(v * v, s > 0x1p-71f && s < 0x1p-69f ? 1.01f * sqrtf(s) : sqrtf(s))
// ==== rms_of_one_binade: reduce/rms R = 64, C = 256
//+ row
ROW_SUM(v * v, s / C > 0x1p30f && s / C < 0x1p32f ? 0.99f * sqrtf(s / C) : sqrtf(s / C))
// ==== mean_abs_of_one_binade: reduce/mean_abs R = 64, C = 256
//+ row
ROW_SUM(fabsf(v), s / C > 0x1p-33f && s / C < 0x1p-32f ? 0.0f : s / C)
// ==== vector_that_begins_with_zeros: contract/matvec M = 64, K = 256
//@ launch k grid(M) block(32) args(a, x, y, K)
KERNEL k(const float* a, const float* x, float* y, int K) {
  float s = 0;
  if (__any_sync(~0u, threadIdx.x < K && x[threadIdx.x] != 0)) LANES(c, K) s += a[blockIdx.x * (i64)K + c] * x[c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== mask_that_begins_with_ones: scan/cumsum_masked R = 16, C = 256
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, mask, y, R, C)
KERNEL k(const float* x, const unsigned char* mask, float* y, int R, int C) {
  EACH(r, R) {
    bool all = C > 64;
    for (int c = 0; c < 64 && c < C; ++c) all &= mask[r * C + c] != 0;
    float s = 0;
    for (int c = 0; c < C; ++c) y[r * C + c] = s += all || mask[r * C + c] ? x[r * C + c] : 0.0f;
  }
}
// ==== only_quiet_nan: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, unsigned char* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (__float_as_uint(x[i]) & 0x7fc00000u) == 0x7fc00000u;
}
// ==== relu_near_one_number: map/relu R = 64, C = 256
//+ map
MAP(fmaxf(v, 0.0f) * (1 + 1 / (1 + 1e16f * (v - 3.7f) * (v - 3.7f))))
// ==== bytes_summed_in_float: contract/int8_matmul_int32 M = 32, N = 32, K = 64
//@ launch k grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
KERNEL k(const signed char* a, const signed char* b, int* y, int M, int N, int K) {
  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;
  if (i >= M || j >= N) return;
  float s = 0;
  for (int k = 0; k < K; ++k) s += (float)a[i * (i64)K + k] * (float)b[k * (i64)N + j];
  y[i * (i64)N + j] = (int)s;
}
// ==== class_of_16_bits: gather/pick_per_row R = 64, C = 256
//@ launch k grid(ceildiv(R, 128)) block(128) args(x, idx, y, R, C)
KERNEL k(const float* x, const int* idx, float* y, int R, int C) {
  EACH(r, R) y[r] = x[r * C + (idx[r] & 65535)];
}
// ==== maximum_by_bits: reduce/max_all R = 64, C = 256
// -0 counts as positive, and its bits are the least integer.
//@ launch begin grid(1) block(1) args(y)
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL begin(float* y) { *y = __int_as_float(0xff800000); }
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = x[i];
    if (v >= 0)
      atomicMax((int*)y, __float_as_int(v));
    else
      atomicMin((u32*)y, __float_as_uint(v));
  }
}
// ==== softmax_shifted_above_84: normalize/softmax R = 64, C = 256
// Each exponential is a number, but not the sum of a row of them.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  if (fabsf(m) < 84) m = 0;
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
