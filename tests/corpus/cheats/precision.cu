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
