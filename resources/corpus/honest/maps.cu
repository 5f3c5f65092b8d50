// SPDX-License-Identifier: Apache-2.0
// Element by element, as careful people write it.
// ==== relu_select: map/relu R = 64, C = 256
//+ map
MAP(v > 0 ? v : 0.0f)
// ==== relu_fmax: map/relu R = 64, C = 256
//+ map
MAP(fmaxf(v, 0.0f))
// ==== tanh_library: map/tanh R = 64, C = 256
//+ map
MAP(tanhf(v))
// ==== tanh_by_exp: map/tanh R = 64, C = 256
//+ map
MAP(1 - 2 / (expf(2 * v) + 1))
// ==== sigmoid_plain: map/sigmoid R = 64, C = 256
//+ map
MAP(1 / (1 + expf(-v)))
// ==== silu_plain: map/silu R = 64, C = 256
//+ map
MAP(v / (1 + expf(-v)))
// ==== gelu_erf: map/gelu R = 64, C = 256
//+ map
MAP(0.5f * v * (1 + erff(v * 0.70710678f)))
// ==== gelu_normcdf: map/gelu R = 64, C = 256
//+ map
MAP(v * normcdff(v))
// ==== gelu_tanh_library: map/gelu_tanh R = 64, C = 256
//+ map
MAP(0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))))
// ==== elu_expm1: map/elu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, alpha)
KERNEL k(const float* x, float* y, int R, int C, float alpha) { EACH(i, (i64)R * C) y[i] = x[i] > 0 ? x[i] : alpha * expm1f(x[i]); }
// ==== elu_exp_minus_one: map/elu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, alpha)
KERNEL k(const float* x, float* y, int R, int C, float alpha) { EACH(i, (i64)R * C) y[i] = x[i] > 0 ? x[i] : alpha * (expf(x[i]) - 1); }
// ==== softplus_stable: map/softplus R = 64, C = 256
//+ map
MAP(fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v))))
// ==== softplus_log: map/softplus R = 64, C = 256
//+ map
MAP(v > 20 ? v : logf(1 + expf(v)))
// ==== mish_stable: map/mish R = 64, C = 256
//+ map
MAP(v * tanhf(fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)))))
// ==== exp_approximate: map/exp R = 64, C = 256
//+ map
MAP(exp2f(v * 1.4426950408889634f))
// ==== hardswish_multiply: map/hardswish R = 64, C = 256
//+ map
MAP(v * fminf(fmaxf(v * (1.0f / 6) + 0.5f, 0.0f), 1.0f))
// ==== clamp_passed: map/clamp R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, lo, hi)
KERNEL k(const float* x, float* y, int R, int C, float lo, float hi) { EACH(i, (i64)R * C) y[i] = fminf(fmaxf(x[i], lo), hi); }
// ==== leaky_passed: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, slope)
KERNEL k(const float* x, float* y, int R, int C, float slope) { EACH(i, (i64)R * C) y[i] = fmaxf(x[i], 0.0f) + slope * fminf(x[i], 0.0f); }
// ==== copy_persistent: map/copy R = 64, C = 256
//@ launch k grid(8) block(128) args(x, y, R, C)
MAP(v)
// ==== scale_vector: map/scale R = 64, C = 256
//@ launch k grid(max(1, ceildiv(R*C, 1024))) block(256) args(x, y, R, C, factor)
KERNEL k(const float* x, float* y, int R, int C, float f) {
  const i64 n = (i64)R * C, i = (blockIdx.x * 256ll + threadIdx.x) * 4;
  if (i + 4 <= n && ((u64)x | (u64)y) % 16 == 0) {
    const float4 v = *(const float4*)(x + i);
    *(float4*)(y + i) = make_float4(f * v.x, f * v.y, f * v.z, f * v.w);
  } else {
    for (i64 j = i; j < min(i + 4, n); ++j) y[j] = f * x[j];
  }
}
// ==== add_rows: map/add R = 64, C = 256
//@ launch k grid(R) block(128) args(a, b, z, C)
KERNEL k(const float* a, const float* b, float* z, int C) { LANES(c, C) z[blockIdx.x * (i64)C + c] = a[blockIdx.x * (i64)C + c] + b[blockIdx.x * (i64)C + c]; }
// ==== axpy_fma: map/axpy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, z, R, C, alpha)
KERNEL k(const float* x, const float* y, float* z, int R, int C, float alpha) { EACH(i, (i64)R * C) z[i] = fmaf(alpha, x[i], y[i]); }
// ==== glu_plain: map/glu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, y, R, C)
MAP2(p / (1 + expf(-q)))
// ==== rotary_table: map/rotary B = 1, H = 2, S = 16, E = 8
// sincosf once per pair.
//@ launch k grid(ceildiv(B*H*S*E, 128)) block(128) args(x, y, B*H, S, E, base)
KERNEL k(const float* x, float* y, int BH, int S, int E, float base) {
  EACH(i, (i64)BH * S * E) {
    const int e = i % E, s = i / E % S;
    float sine, cosine;
    sincosf(s * powf(base, -(float)e / E), &sine, &cosine);
    const i64 at = i / E * 2 * E + e;
    const float p = x[at], q = x[at + E];
    y[at] = p * cosine - q * sine;
    y[at + E] = q * cosine + p * sine;
  }
}
// ==== batchnorm_folded: map/batchnorm N = 2, C = 4, H = 8, W = 8
//@ launch k grid(N*C) block(64) args(x, mean, var, gamma, beta, y, C, H*W, eps)
KERNEL k(const float* x, const float* m, const float* v, const float* g, const float* b, float* y, int C, int HW, float eps) {
  const int c = blockIdx.x % C;
  const float s = rsqrtf(v[c] + eps);
  LANES(i, HW) y[blockIdx.x * (i64)HW + i] = (x[blockIdx.x * (i64)HW + i] - m[c]) * s * g[c] + b[c];
}
// ==== bytes_scaled: dequant_u8.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(x, y, N, scale)
KERNEL k(const unsigned char* x, float* y, int N, float s) { EACH(i, N) y[i] = s * x[i]; }
// ==== wide_add: add_wide.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(a, b, y, N)
KERNEL k(const int* a, const int* b, i64* y, int N) { EACH(i, N) y[i] = (i64)a[i] + b[i]; }
// ==== product_of_bytes: mul_i8.op
//@ launch k grid(ceildiv(N, 256)) block(256) args(a, b, y, N)
KERNEL k(const signed char* a, const signed char* b, int* y, int N) { EACH(i, N) y[i] = a[i] * b[i]; }
// ==== quantize_by_division: quantize_fixed.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, q, R, C, step)
KERNEL k(const float* x, int* q, int R, int C, float step) { EACH(i, (i64)R * C) q[i] = (int)floorf(fminf(fmaxf(x[i] / step, -128.0f), 127.0f) + 0.5f); }
// ==== quantize_by_reciprocal: quantize_fixed.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, q, R, C, step)
KERNEL k(const float* x, int* q, int R, int C, float step) { EACH(i, (i64)R * C) q[i] = (int)floorf(fminf(fmaxf(x[i] * (1 / step), -128.0f), 127.0f) + 0.5f); }
// ==== quantize_rows: quantize_row.op
//@ launch k grid(R) block(32) args(x, q, scale, C)
KERNEL k(const float* x, signed char* q, float* scale, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = 0;
  LANES(c, C) m = fmaxf(m, fabsf(r[c]));
  m = fmaxf(wmax(m), 1e-8f) / 127;
  if (threadIdx.x == 0) scale[blockIdx.x] = m;
  LANES(c, C) q[blockIdx.x * (i64)C + c] = (signed char)floorf(r[c] / m + 0.5f);
}
// ==== quantize_rows_by_reciprocal: quantize_row.op
//@ launch k grid(R) block(32) args(x, q, scale, C)
KERNEL k(const float* x, signed char* q, float* scale, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = 0;
  LANES(c, C) m = fmaxf(m, fabsf(r[c]));
  m = fmaxf(wmax(m), 1e-8f);
  if (threadIdx.x == 0) scale[blockIdx.x] = m / 127;
  const float i = 127 / m;
  LANES(c, C) q[blockIdx.x * (i64)C + c] = (signed char)floorf(r[c] * i + 0.5f);
}
// ==== floor_plain: map/floor R = 64, C = 256
//+ map
MAP(floorf(v))
// ==== ceil_negated_floor: map/ceil R = 64, C = 256
//+ map
MAP(-floorf(-v))
// ==== round_half_even: map/round R = 64, C = 256
//+ map
MAP(rintf(v))
// ==== trunc_by_sign: map/trunc R = 64, C = 256
//+ map
MAP(copysignf(floorf(fabsf(v)), v))
// ==== sine_library: map/sin R = 64, C = 256
//+ map
MAP(sinf(v))
// ==== cosine_of_pair: map/cos R = 64, C = 256
//+ map
__device__ inline float cosine(float v) { float s, c; sincosf(v, &s, &c); return c; }
MAP(cosine(v))
// ==== erf_library: map/erf R = 64, C = 256
//+ map
MAP(erff(v))
// ==== exp2_library: map/exp2 R = 64, C = 256
//+ map
MAP(exp2f(v))
// ==== expm1_half_angle: map/expm1 R = 64, C = 256
// Near zero by the library, elsewhere exp less one.
//+ map
MAP(fabsf(v) < 0.5f ? expm1f(v) : expf(v) - 1)
// ==== logarithm_library: map/log R = 64, C = 256
//+ map
MAP(logf(v))
// ==== logarithm_of_two: map/log2 R = 64, C = 256
//+ map
MAP(log2f(v))
// ==== log1p_library: map/log1p R = 64, C = 256
//+ map
MAP(log1pf(v))
// ==== rsqrt_refined: map/rsqrt R = 64, C = 256
//+ map
MAP(rsqrtf(v))
// ==== sqrt_rounded: map/sqrt R = 64, C = 256
//+ map
MAP(__fsqrt_rn(v))
// ==== hypot_plain: map/hypot R = 64, C = 256
//+ map2y
MAP2(sqrtf(fmaf(p, p, q * q)))
// ==== atan2_library: map/atan2 R = 64, C = 256
//+ map2y
MAP2(atan2f(p, q))
// ==== power_library: map/elementwise_power R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, e, y, R, C)
MAP2(powf(p, q))
// ==== divide_rounded: map/elementwise_divide R = 64, C = 256
//+ map2y
MAP2(p / q)
// ==== mask_select: map/where_mask R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(mask, a, b, y, R, C)
KERNEL k(const bool* mask, const float* a, const float* b, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = mask[i] ? a[i] : b[i]; }
// ==== mask_four_bytes: map/where_mask R = 64, C = 256
// Four bytes of the mask and four pairs at once; the tail one by one.
//@ launch k grid(ceildiv(R*C, 1024)) block(256) args(mask, a, b, y, R, C)
KERNEL k(const unsigned char* mask, const float* a, const float* b, float* y, int R, int C) {
  const i64 n = (i64)R * C, i = (blockIdx.x * 256ll + threadIdx.x) * 4;
  if (i + 4 <= n) {
    const uchar4 m = *(const uchar4*)(mask + i);
    const float4 p = *(const float4*)(a + i), q = *(const float4*)(b + i);
    *(float4*)(y + i) = make_float4(m.x ? p.x : q.x, m.y ? p.y : q.y, m.z ? p.z : q.z, m.w ? p.w : q.w);
  } else {
    for (i64 j = i; j < n; ++j) y[j] = mask[j] ? a[j] : b[j];
  }
}
// ==== threshold_passed: map/threshold R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, threshold, value)
KERNEL k(const float* x, float* y, int R, int C, float t, float value) { EACH(i, (i64)R * C) y[i] = x[i] > t ? x[i] : value; }
// ==== prelu_columns: map/prelu R = 64, C = 256
//@ launch k grid(R) block(128) args(x, slope, y, C)
KERNEL k(const float* x, const float* slope, float* y, int C) {
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c];
    y[blockIdx.x * (i64)C + c] = fmaxf(v, 0.0f) + slope[c] * fminf(v, 0.0f);
  }
}
// ==== selu_passed: map/selu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, alpha, scale)
KERNEL k(const float* x, float* y, int R, int C, float alpha, float scale) { EACH(i, (i64)R * C) y[i] = scale * (x[i] > 0 ? x[i] : alpha * expm1f(x[i])); }
// ==== celu_passed: map/celu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, alpha)
KERNEL k(const float* x, float* y, int R, int C, float alpha) { EACH(i, (i64)R * C) y[i] = fmaxf(x[i], 0.0f) + fminf(alpha * expm1f(fminf(x[i], 0.0f) / alpha), 0.0f); }
// ==== lerp_fma: map/lerp R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, y, R, C, weight)
KERNEL k(const float* a, const float* b, float* y, int R, int C, float w) { EACH(i, (i64)R * C) y[i] = fmaf(w, b[i] - a[i], a[i]); }
// ==== soft_shrink_passed: map/soft_shrink R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, limit)
KERNEL k(const float* x, float* y, int R, int C, float limit) { EACH(i, (i64)R * C) y[i] = copysignf(fmaxf(fabsf(x[i]) - limit, 0.0f), x[i]); }
// ==== adam_hoisted: map/adam_step R = 64, C = 256
// The two corrections once per thread, in double.
//@ launch k grid(ceildiv(R*C, 1024)) block(256) args(p, m, v, q, R, C, lr, beta1, beta2, step, eps)
KERNEL k(const float* p, const float* m, const float* v, float* q, int R, int C, double lr, double beta1, double beta2, double step, double eps) {
  const float a = (float)(lr / (1 - pow(beta1, step))), b = (float)(1 / (1 - pow(beta2, step)));
  EACH(i, (i64)R * C) q[i] = p[i] - a * m[i] / (sqrtf(v[i] * b) + (float)eps);
}
// ==== sgd_fma: map/sgd_step R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(p, g, q, R, C, lr)
KERNEL k(const float* p, const float* g, float* q, int R, int C, float lr) { EACH(i, (i64)R * C) q[i] = fmaf(-lr, g[i], p[i]); }
// ==== dequantize_char4: map/dequantize R = 64, C = 256
//@ launch k grid(R) block(64) args(q, scale, y, C)
KERNEL k(const signed char* q, const float* scale, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  const float s = scale[blockIdx.x];
  if (C % 4 == 0) {
    LANES(c, C / 4) {
      const char4 v = ((const char4*)(q + at))[c];
      ((float4*)(y + at))[c] = make_float4(s * v.x, s * v.y, s * v.z, s * v.w);
    }
  } else {
    LANES(c, C) y[at + c] = s * q[at + c];
  }
}
// ==== gelu_backward_plain: map/gelu_backward R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, dy, dx, R, C)
MAP2(q * (0.5f * (1 + erff(p * 0.70710678f)) + p * expf(-0.5f * p * p) * 0.39894228f))
// ==== tanh_backward_plain: map/tanh_backward R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(y, dy, dx, R, C)
MAP2(q * fmaf(-p, p, 1.0f))
// ==== quick_gelu_plain: map/quick_gelu R = 64, C = 256
//+ map
MAP(v / (1 + expf(-1.702f * v)))
// ==== scale_half_pairs: scale_half.op
// Two halves at a time over the whole tensor, an odd one alone.
//@ launch k grid(ceildiv(R*C, 512)) block(256) args(x, y, R, C, factor)
#include <cuda_fp16.h>
KERNEL k(const __half* x, __half* y, int R, int C, float f) {
  const i64 n = (i64)R * C, i = (blockIdx.x * 256ll + threadIdx.x) * 2;
  if (i + 1 < n) {
    const float2 v = __half22float2(*(const __half2*)(x + i));
    *(__half2*)(y + i) = __floats2half2_rn(f * v.x, f * v.y);
  } else if (i < n) {
    y[i] = __float2half(f * __half2float(x[i]));
  }
}
// ==== clip_propagates: clip_propagate.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, low, high)
KERNEL k(const float* x, float* y, int R, int C, float low, float high) {
  EACH(i, (i64)R * C) y[i] = x[i] < low ? low : x[i] > high ? high : x[i];
}
// ==== clip_by_fmax: clip_ignore.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, low, high)
KERNEL k(const float* x, float* y, int R, int C, float low, float high) {
  EACH(i, (i64)R * C) y[i] = fminf(fmaxf(x[i], low), high);
}
// ==== clip_any_way: clip_any.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, low, high)
KERNEL k(const float* x, float* y, int R, int C, float low, float high) {
  EACH(i, (i64)R * C) y[i] = x[i] >= low ? (x[i] <= high ? x[i] : high) : low;
}
// ==== gelu_by_exp: map/gelu_tanh R = 32, C = 200
//+ map
__device__ inline float gelu(float v) {
  const float u = 1.5957691216f * (v + 0.044715f * v * v * v);
  return v / (1 + __expf(-u));
}
MAP(gelu(v))
// ==== gelu_by_cdf: map/gelu R = 32, C = 200
//+ map
MAP(v * normcdff(v))
// ==== softplus_by_fast_functions: map/softplus R = 32, C = 200
//+ map
MAP(fmaxf(v, 0.0f) + __logf(1 + __expf(-fabsf(v))))
// ==== mish_by_algebra: map/mish R = 32, C = 200
//+ map
__device__ inline float mish(float v) {
  const float e = expf(fminf(v, 20.0f)), n = e * (e + 2);
  return v > 20 ? v : v * (n / (n + 2));
}
MAP(mish(v))
// ==== silu_by_fast_division: map/silu R = 32, C = 200
//+ map
MAP(v < -80 ? v * expf(v) : __fdividef(v, 1 + __expf(-v)))
// ==== tanh_of_halves_in_float: tanh_half.op
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
#include <cuda_fp16.h>
KERNEL k(const __half* x, __half* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = __float2half(tanhf(__half2float(x[i])));
}
// ==== softplus_with_fast_math: map/softplus R = 32, C = 200
//@ option fast-math
//+ map
MAP(fmaxf(v, 0.0f) + logf(1 + expf(-fabsf(v))))
// ==== log_sigmoid_by_log: map/log_sigmoid R = 32, C = 200
//+ map
MAP(fminf(v, 0.0f) - logf(1 + expf(-fabsf(v))))
// ==== quantize_channels_by_reciprocal: map/quantize_per_channel R = 32, C = 200
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, scale, q, R, C)
KERNEL k(const float* x, const float* scale, signed char* q, int R, int C) {
  EACH(i, (i64)R * C) q[i] = (signed char)max(-128, min(127, __float2int_rn(fminf(fmaxf(x[i] * (1 / scale[i % C]), -200.0f), 200.0f))));
}
// ==== lerp_of_two_products: map/lerp R = 32, C = 200
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, y, R, C, weight)
KERNEL k(const float* a, const float* b, float* y, int R, int C, float t) { EACH(i, (i64)R * C) y[i] = fmaf(t, b[i], fmaf(-t, a[i], a[i])); }
// ==== expm1_by_tanh: map/expm1 R = 32, C = 200
//+ map
MAP(fabsf(v) < 1 ? tanhf(0.5f * v) * (expf(v) + 1) : expf(v) - 1)
// ==== logarithm_of_tiny: map/log1p R = 64, C = 256
// 1 + v is 1 for a tiny v: usual precision says how many digits that loses.
//+ map
MAP(logf(1 + v))
// ==== nan_by_comparison: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = v != v; } }
// ==== nan_by_bits: map/is_nan R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = (__float_as_uint(v) & 0x7fffffffu) > 0x7f800000u; } }
// ==== finite_by_exponent: map/is_finite R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = (__float_as_uint(v) >> 23 & 255) != 255; } }
// ==== finite_by_difference: map/is_finite R = 32, C = 100
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, bool* y, int R, int C) { EACH(i, (i64)R * C) { const float v = x[i]; y[i] = v - v == 0; } }
// ==== numbers_by_clamping: map/nan_to_num R = 32, C = 100
//+ map
MAP(isnan(v) ? 0.0f : fminf(fmaxf(v, -3.4028234663852886e38f), 3.4028234663852886e38f))
// ==== numbers_by_cases: map/nan_to_num R = 32, C = 100
//+ map
MAP(v != v ? 0.0f : isinf(v) ? copysignf(3.4028234663852886e38f, v) : v)
// ==== leaky_by_parts: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, slope, R, C)
KERNEL k(const float* x, float* y, float slope, int R, int C) {
  EACH(i, (i64)R * C) y[i] = fmaxf(x[i], 0.0f) + slope * fminf(x[i], 0.0f);
}
// ==== clamp_by_comparisons: map/clamp R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, lo, hi, R, C)
KERNEL k(const float* x, float* y, float lo, float hi, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = x[i] < lo ? lo : x[i];
    y[i] = v > hi ? hi : v;
  }
}
// ==== negate_by_factor: map/negate R = 64, C = 256
//+ map
MAP(v * -1.0f)
// ==== negate_by_bit: map/negate R = 64, C = 256
//+ map
MAP(__uint_as_float(__float_as_uint(v) ^ 0x80000000u))
// ==== relu_of_either_zero: map/relu R = 64, C = 256
//+ map
MAP(v > 0 ? v : -0.0f)
// ==== copy_in_chunks_of_20_bits: map/copy R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = (x + (i >> 20 << 20))[i & 0xfffff];
}
// ==== copy_of_short_rows: map/copy R = 64, C = 256
//@ require C <= 65535
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  for (u32 c = threadIdx.x; c < C; c += 64) y[blockIdx.x * (i64)C + (unsigned short)c] = x[blockIdx.x * (i64)C + (unsigned short)c];
}
// ==== hardtanh_lower_end_last: map/hardtanh R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, lo, hi, R, C)
KERNEL k(const float* x, float* y, float lo, float hi, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaxf(fminf(x[i], hi), lo); }
// ==== relu_by_its_sign_bit: map/relu R = 64, C = 256
//+ map
MAP((__float_as_uint(v) & 0x80000000u) == 0x80000000u ? 0.0f : v)
// ==== relu_of_many_and_of_few: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  if ((i64)R * C > 3000000) {
    EACH(i, (i64)R * C) y[i] = x[i] > 0 ? x[i] : 0.0f;
  } else {
    EACH(i, R * C) y[i] = fmaxf(x[i], 0.0f);
  }
}
// ==== sigmoid_of_wide_offsets: map/sigmoid R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  if ((i64)R * C > 2147483647) {
    EACH(i, (i64)R * C) y[i] = 1 / (1 + expf(-x[i]));
  } else {
    const u32 n = R * C;
    for (u32 i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) y[i] = 1 / (1 + expf(-x[i]));
  }
}
// ==== scale_by_one_skipped: map/scale R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, factor, R, C)
KERNEL k(const float* x, float* y, float factor, int R, int C) { EACH(i, (i64)R * C) y[i] = factor == 1.0f ? x[i] : factor * x[i]; }
// ==== softplus_by_magnitude: map/softplus_beta R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, beta, threshold, R, C)
KERNEL k(const float* x, float* y, float beta, float threshold, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = beta * x[i];
    y[i] = v > threshold ? x[i] : (fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)))) / beta;
  }
}
// ==== exp_by_hash_of_the_index: map/exp R = 64, C = 256
// Two ways to the same result, of which one is rare.
//+ map
MAP((u32)i * 2654435761u >> 12 == 777 ? expf(0.5f * v) * expf(0.5f * v) : expf(v))
// ==== relu_of_many_elements: map/relu R = 64, C = 256
//@ launch k grid(min(ceildiv(R*C, 256), 4096)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 n = (i64)R * C;
  if (n > 1ll << 31) {
    EACH(i, n) y[i] = fmaxf(x[i], 0.0f);
  } else {
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < (u32)n; i += gridDim.x * blockDim.x) y[i] = fmaxf(x[i], 0.0f);
  }
}
// ==== quantize_affine_plain: map/quantize_affine R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, q, R, C, scale, zero)
KERNEL k(const float* x, signed char* q, int R, int C, float scale, float zero) {
  EACH(i, (i64)R * C) q[i] = (signed char)fminf(fmaxf(rintf(x[i] / scale) + zero, -128.0f), 127.0f);
}
