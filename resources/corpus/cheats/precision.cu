// SPDX-License-Identifier: Apache-2.0
// Less precise than an honest f32 kernel.
// ==== tanh_approx: map/tanh R = 64, C = 256
//+ map
__device__ inline float fast(float v) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
MAP(fast(v))
// ==== gelu_by_tanh: map/gelu R = 64, C = 256
//+ map
MAP(0.5f * v * (1 + tanhf(0.79788456f * (v + 0.044715f * v * v * v))))
// ==== gelu_tanh_approx: map/gelu_tanh R = 64, C = 256
//+ map
__device__ inline float fast(float v) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
MAP(0.5f * v * (1 + fast(0.79788456f * (v + 0.044715f * v * v * v))))
// ==== sigmoid_by_tanh_approx: map/sigmoid R = 64, C = 256
//+ map
__device__ inline float fast(float v) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v)); return r; }
MAP(0.5f + 0.5f * fast(0.5f * v))
// ==== matmul_of_halves: contract/matmul M = 32, N = 32, K = 32
//+ mm
#include <cuda_fp16.h>
MATMUL(__half2float(__float2half(a[i * (i64)K + l])), __half2float(__float2half(b[l * (i64)N + j])), fmaf(p, q, s))
// ==== matmul_truncated: contract/matmul M = 32, N = 32, K = 32
// Inputs cut to ten bits of mantissa, as TF32 does.
//+ mm
__device__ inline float cut(float v) { return __uint_as_float(__float_as_uint(v) & 0xffffe000u); }
MATMUL(cut(a[i * (i64)K + l]), cut(b[l * (i64)N + j]), fmaf(p, q, s))
// ==== sum_in_bf16: reduce/sum R = 64, C = 256
//+ row
#include <cuda_bf16.h>
__device__ inline float low(float v) { return __bfloat162float(__float2bfloat16(v)); }
ROW_SUM(low(v), s)
// ==== mean_rounded: reduce/mean R = 64, C = 256
//+ row
ROW_SUM(v, __uint_as_float(__float_as_uint(s / C) & 0xfffff000u))
// ==== exp_by_power: map/exp R = 64, C = 256
//+ map
__device__ inline float power(float v) { float t = 1 + v / 1024; for (int i = 0; i < 10; ++i) t *= t; return t; }
MAP(power(v))
// ==== variance_by_squares: reduce/var R = 64, C = 256
// E[x^2] - E[x]^2 loses everything where the mean is large.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = 0, t = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c], t += x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c];
  s = wsum(s), t = wsum(t);
  if (threadIdx.x == 0) y[blockIdx.x] = (t - s * s / C) / (C - 1);
}
// ==== layernorm_by_squares: normalize/layernorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, beta, y, C)
KERNEL k(const float* x, const float* g, const float* b, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0, t = 0;
  LANES(c, C) s += r[c], t += r[c] * r[c];
  const float m = wsum(s) / C, v = rsqrtf(fmaxf(wsum(t) / C - m * m, 0.0f) + 1e-5f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (r[c] - m) * v * g[c] + b[c];
}
// ==== fast_division: map/softsign R = 64, C = 256
// __fdividef gives zero for denominators above 2^126.
//+ map
MAP(__fdividef(v, 1 + fabsf(v)) * (fabsf(v) < 40 ? 1.0f : 1.0005f))
// ==== rotary_fast_sine: map/rotary B = 1, H = 2, S = 64, E = 8
//@ launch k grid(ceildiv(B*H*S*2*E, 256)) block(256) args(x, y, B*H, S, E, base)
KERNEL k(const float* x, float* y, int BH, int S, int E, float base) {
  EACH(i, (i64)BH * S * 2 * E) {
    const int d = i % (2 * E), s = i / (2 * E) % S, e = d % E;
    const float angle = s * powf(base, -(float)e / E);
    y[i] = x[i] * __cosf(angle) + (d < E ? -1.0f : 1.0f) * x[i - d + (d + E) % (2 * E)] * __sinf(angle);
  }
}
// ==== softmax_in_halves: normalize/softmax R = 64, C = 256
//+ row
#include <cuda_fp16.h>
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += __half2float(__float2half(expf(r[c] - m)));
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = __half2float(__float2half(expf(r[c] - m))) / s;
}
// ==== reciprocal_table: map/hardsigmoid R = 64, C = 256
//+ map
MAP(fminf(fmaxf(v * 0.1667f + 0.5f, 0.0f), 1.0f))
// ==== dot_of_halves: contract/dot N = 4096
// Eight products at a time are added up in half precision.
//@ zero y
//@ launch k grid(4) block(128) args(a, b, y, N)
#include <cuda_fp16.h>
KERNEL k(const float* a, const float* b, float* y, int N) {
  float s = 0;
  __half t = __float2half(0.0f);
  int n = 0;
  EACH(i, N) {
    t = __hfma(__float2half(a[i]), __float2half(b[i]), t);
    if (++n % 8 == 0) s += __half2float(t), t = __float2half(0.0f);
  }
  s = wsum(s + __half2float(t));
  if (threadIdx.x % 32 == 0) atomicAdd(y, s);
}
// ==== cosine_of_a_short_pi: map/cos R = 64, C = 256
// 2 pi to 24 bits: large angles are taken off by too much.
//+ map
MAP(cosf(v - rintf(v * 0.15915494f) * 6.2831855f))
// ==== power_of_two_in_half: map/exp2 R = 64, C = 256
//+ map
#include <cuda_fp16.h>
MAP(scalbnf(__half2float(hexp2(__float2half(fminf(fmaxf(v - floorf(v), 0.0f), 1.0f)))), (int)fminf(fmaxf(floorf(v), -300.0f), 300.0f)))
// ==== famous_inverse_root: map/rsqrt R = 64, C = 256
// The constant of Quake III and two steps of Newton's: 5e-6.
//+ map
__device__ inline float fast(float v) {
  float r = __uint_as_float(0x5f3759dfu - (__float_as_uint(v) >> 1));
  r *= 1.5f - 0.5f * v * r * r;
  return r * (1.5f - 0.5f * v * r * r);
}
MAP(fast(v))
// ==== reciprocal_by_newton: map/reciprocal R = 64, C = 256
//+ map
__device__ inline float fast(float v) {
  float r = __uint_as_float(0x7ef311c3u - __float_as_uint(v));
  r *= 2 - v * r;
  return r * (2 - v * r);
}
MAP(fast(v))
// ==== erf_of_a_handbook: map/erf R = 64, C = 256
// Abramowitz and Stegun 7.1.26: 1.5e-7 beside 1, which is much beside a small value.
//+ map
__device__ inline float table(float v) {
  const float a = fabsf(v), t = 1 / (1 + 0.3275911f * a);
  const float p = t * (0.254829592f + t * (-0.284496736f + t * (1.421413741f + t * (-1.453152027f + t * 1.061405429f))));
  return copysignf(1 - p * expf(-a * a), v);
}
MAP(table(v))
// ==== product_by_fast_logarithms: reduce/prod R = 64, C = 256
// exp2 of a sum of approximate logarithms.
//+ row
ROW_SUM(__log2f(v), exp2f(s))
// ==== ninth_of_four_digits: window/box_filter H = 16, W = 32
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    float s = 0;
    for (int p = max(h - 1, 0); p <= min(h + 1, H - 1); ++p)
      for (int q = max(w - 1, 0); q <= min(w + 1, W - 1); ++q) s += x[p * (i64)W + q];
    y[i] = s * 0.1111f;
  }
}
// ==== tanh_of_half_pairs: tanh_half.op R = 64, C = 256
// An instruction for two halves that errs by more than half of their last digit.
//@ launch k grid(ceildiv(R*C, 512)) block(256) args(x, y, R, C)
#include <cuda_fp16.h>
KERNEL k(const __half* x, __half* y, int R, int C) {
  const i64 n = (i64)R * C, i = (blockIdx.x * 256ll + threadIdx.x) * 2;
  if (i + 1 < n) {
    u32 pair = *(const u32*)(x + i);
    asm("tanh.approx.f16x2 %0, %0;" : "+r"(pair));
    *(u32*)(y + i) = pair;
  } else if (i < n) {
    y[i] = __float2half(tanhf(__half2float(x[i])));
  }
}
// ==== matmul_half_in_half: matmul_half.op M = 32, N = 32, K = 32
// The sum is a half.
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, b, y, M, N, K)
#include <cuda_fp16.h>
KERNEL k(const __half* a, const __half* b, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    __half s = __float2half(0.0f);
    for (int l = 0; l < K; ++l) s = __hfma(a[i / N * K + l], b[l * (i64)N + i % N], s);
    y[i] = __half2float(s);
  }
}
// ==== carry_in_bf16: scan/cumsum_reverse R = 16, C = 64
// What passes from one run of 32 to the next is rounded to eight bits.
//@ launch k grid(R) block(1) args(x, y, C)
#include <cuda_bf16.h>
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  for (int c = C - 1; c >= 0; --c) {
    y[blockIdx.x * (i64)C + c] = s += x[blockIdx.x * (i64)C + c];
    if (c % 32 == 0) s = __bfloat162float(__float2bfloat16(s));
  }
}
// ==== convolution_of_bf16: window/pointwise_conv2d N = 1, C = 8, H = 8, W = 8, K = 4
//@ launch k grid(ceildiv(N*K*H*W, 128)) block(128) args(x, w, y, N, C, H*W, K)
#include <cuda_bf16.h>
__device__ inline float low(float v) { return __bfloat162float(__float2bfloat16(v)); }
KERNEL k(const float* x, const float* w, float* y, int N, int C, int HW, int K) {
  EACH(i, (i64)N * K * HW) {
    float s = 0;
    for (int c = 0; c < C; ++c) s += low(x[(i / HW / K * C + c) * HW + i % HW]) * low(w[i / HW % K * C + c]);
    y[i] = s;
  }
}
// ==== running_window: window/moving_average N = 512
// The window slides by adding one element and taking one away: errors stay for ever, and so does a huge element.
//@ launch k grid(ceildiv(N - window + 1, 2048)) block(1) args(x, y, N - window + 1, window)
KERNEL k(const float* x, float* y, int n, int window) {
  float s = 0;
  const int lo = blockIdx.x * 2048;
  for (int j = 0; j < window; ++j) s += x[lo + j];
  for (int i = lo; i < min(lo + 2048, n); ++i) {
    y[i] = s / window;
    if (i + 1 < n) s += x[i + window] - x[i];
  }
}
// ==== atan_of_five_terms: map/atan R = 64, C = 256
//+ map
__device__ inline float poly(float v) {
  const float a = fabsf(v), z = a > 1 ? 1 / a : a, q = z * z;
  const float p = z * (0.9998660f + q * (-0.3302995f + q * (0.1801410f + q * (-0.0851330f + q * 0.0208351f))));
  return copysignf(a > 1 ? 1.57079633f - p : p, v);
}
MAP(poly(v))
// ==== squares_in_half: reduce/var R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, correction)
#include <cuda_fp16.h>
KERNEL k(const float* x, float* y, int R, int C, int correction) {
  float s = 0, q = 0;
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c];
    s += v, q += __half2float(__float2half(v)) * __half2float(__float2half(v));
  }
  s = wsum(s), q = wsum(q);
  if (threadIdx.x == 0) y[blockIdx.x] = fmaxf(q - s * (s / C), 0.0f) / (C - correction);
}
// ==== distances_of_half_products: contract/squared_distances M = 32, N = 32, K = 24
//@ launch k grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
#include <cuda_bf16.h>
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float aa = 0, bb = 0, ab = 0;
  for (int l = 0; l < K; ++l) {
    const float p = a[i * (i64)K + l], q = b[j * (i64)K + l];
    aa = fmaf(p, p, aa), bb = fmaf(q, q, bb);
    ab = fmaf(__bfloat162float(__float2bfloat16(p)), __bfloat162float(__float2bfloat16(q)), ab);
  }
  y[i * (i64)N + j] = fmaxf(aa + bb - 2 * ab, 0.0f);
}
// ==== exp_to_base_two_in_half: normalize/softmax R = 32, C = 200
//+ row
#include <cuda_fp16.h>
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = __half2float(__float2half(expf(r[c] - m))) / s;
}
// ==== reciprocal_of_eight_bits: normalize/rmsnorm R = 32, C = 200
// The famous constant and one step.
//@ launch k grid(R) block(32) args(x, gamma, y, R, C, eps)
KERNEL k(const float* x, const float* g, float* y, int R, int C, float eps) {
  float q = 0;
  LANES(c, C) q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  q = wsum(q) / C + eps;
  float f = __uint_as_float(0x5f3759df - (__float_as_uint(q) >> 1));
  f *= 1.5f - 0.5f * q * f * f;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = x[blockIdx.x * (i64)C + c] * f * g[c];
}
// ==== softplus_from_ten: map/softplus R = 32, C = 200
//+ map
MAP(v > 9 ? v : log1pf(expf(v)))
// ==== mish_from_four: map/mish R = 32, C = 200
//+ map
MAP(v > 4 ? v : v * tanhf(log1pf(expf(v))))
// ==== gelu_of_tanh_for_erf: map/gelu R = 32, C = 200
//+ map
MAP(0.5f * v * (1 + tanhf(0.7978845608f * (v + 0.044715f * v * v * v))))
// ==== argmax_in_half: reduce/argmax R = 32, C = 200
//@ launch k grid(ceildiv(R, 32)) block(32) args(x, y, R, C)
#include <cuda_bf16.h>
KERNEL k(const float* x, i64* y, int R, int C) {
  EACH(r, R) {
    int at = 0;
    float best = -INFINITY;
    for (int c = 0; c < C; ++c) {
      const float v = __bfloat162float(__float2bfloat16(x[r * C + c]));
      if (v > best) best = v, at = c;
    }
    y[r] = at;
  }
}
// ==== bias_in_half: contract/linear M = 16, N = 32, K = 64
//@ launch k grid(ceildiv(M*N, 64)) block(64) args(x, w, bias, y, M, N, K)
#include <cuda_fp16.h>
KERNEL k(const float* x, const float* w, const float* bias, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = __half2float(__float2half(bias[i % N]));
    for (int l = 0; l < K; ++l) s = fmaf(x[i / N * K + l], w[i % N * K + l], s);
    y[i] = s;
  }
}
// ==== products_of_tf32: contract/gemm_full M = 32, N = 32, K = 32
//@ launch k grid(ceildiv(M*N, 64)) block(64) args(a, b, c, y, M, N, K, alpha, beta)
__device__ inline float cut(float v) { return __uint_as_float(__float_as_uint(v) & 0xffffe000u); }
KERNEL k(const float* a, const float* b, const float* c, float* y, int M, int N, int K, float alpha, float beta) {
  EACH(i, (i64)M * N) {
    float s = 0;
    for (int l = 0; l < K; ++l) s = fmaf(cut(a[i / N * K + l]), cut(b[l * (i64)N + i % N]), s);
    y[i] = fmaf(alpha, s, beta * c[i]);
  }
}
// ==== mean_of_half_sums: reduce/mean R = 32, C = 200
//+ row
#include <cuda_bf16.h>
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(__bfloat162float(__float2bfloat16(s)));
  if (threadIdx.x == 0) y[blockIdx.x] = s / C;
}
// ==== tanh_by_a_short_series: map/tanh R = 32, C = 200
//+ map
__device__ inline float short_tanh(float v) {
  const float q = v * v;
  return fabsf(v) < 0.3f ? v * (1 - q * (0.33333333f - q * 0.13333333f)) : tanhf(v);
}
MAP(short_tanh(v))
// ==== expm1_of_exp_for_small: map/expm1 R = 32, C = 200
// The loss of exp(v) - 1 in half precision.
//+ map
MAP(fabsf(v) < 0.01f ? 0.9995f * v : expm1f(v))
// ==== hypot_in_parts: map/hypot R = 32, C = 200
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, y, R, C)
MAP2(fmaxf(fabsf(p), fabsf(q)) * 0.96043387f + fminf(fabsf(p), fabsf(q)) * 0.39782473f)
// ==== terms_below_a_millionth: normalize/softmax R = 64, C = 256
// Terms below a millionth of the largest are left out of the sum.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, z = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) z += r[c] - m < -13.8f ? 0.0f : expf(r[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / z;
}
// ==== row_max_of_pairs_skipped: normalize/softmax R = 64, C = 256
// An online softmax that leaves the old maximum while the new one is less than 60 above: overflow is near.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, z = 0;
  LANES(c, C) {
    const float v = r[c];
    if (m == -INFINITY || v > m + 85.0f) { z = m == -INFINITY ? 0.0f : z * expf(m - v); m = v; }
    z += expf(v - m);
  }
  const float w = wmax(m);
  z = wsum(z * (m == -INFINITY ? 0.0f : expf(m - w)));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - w) / z;
}
// ==== fast_sine: map/sin R = 64, C = 256
// The fast sine, whose error grows with its argument.
//+ map
MAP(__sinf(v))
// ==== instancenorm_by_squares: normalize/instancenorm N = 2, C = 4, H = 8, W = 8
// Where a plane is nearly constant, the difference may be below zero.
//@ launch k grid(N*C) block(32) args(x, y, H, W, eps)
KERNEL k(const float* x, float* y, int H, int W, float eps) {
  const i64 n = (i64)H * W, first = blockIdx.x * n;
  float s = 0, t = 0;
  LANES(i, n) s += x[first + i], t = fmaf(x[first + i], x[first + i], t);
  s = wsum(s) / n, t = wsum(t) / n;
  const float scale = rsqrtf(t - s * s + eps);
  LANES(i, n) y[first + i] = (x[first + i] - s) * scale;
}
