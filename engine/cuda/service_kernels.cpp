// SPDX-License-Identifier: Apache-2.0
// The device's side of op/inputs.cpp (recipe at its top), gate/compare.cpp (rules at the top of compare.h) and
// base/dtype.cpp (layouts). Element types are the numbers of DType. Sums and products that must round as on the host
// are written as intrinsics, which are never fused.
#include "cuda/service.h"

namespace ww::cuda {

const char* const service_source = R"cuda(
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// Philox 4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011).
__device__ void philox(u32 c[4], u32 k0, u32 k1) {
  for (int round = 0; round < 10; ++round) {
    const u64 p0 = 0xD2511F53ull * c[0], p1 = 0xCD9E8D57ull * c[2];
    const u32 c0 = (u32)(p1 >> 32) ^ c[1] ^ k0, c2 = (u32)(p0 >> 32) ^ c[3] ^ k1;
    c[0] = c0; c[1] = (u32)p1; c[2] = c2; c[3] = (u32)p0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
}
__device__ void words(u32 c[4], u64 seed, u32 ordinal, u64 i, u32 block) {
  c[0] = (u32)i; c[1] = (u32)(i >> 32); c[2] = block; c[3] = ordinal;
  philox(c, (u32)seed, (u32)(seed >> 32));
}
__device__ double unit(u64 seed, u32 ordinal, u64 i) {
  u32 c[4];
  words(c, seed, ordinal, i, 0);
  return c[0] * 0x1p-32;
}
__device__ i64 halves(u32 w) { return 2 * (i64)(w & 0xffffu) + 2 * (i64)(w >> 16) + 2; }
__device__ double normal(u64 seed, u32 ordinal, u64 i) {
  u32 a[4], b[4];
  words(a, seed, ordinal, i, 0);
  words(b, seed, ordinal, i, 1);
  const i64 sum = halves(a[0]) + halves(a[1]) + halves(a[2]) + halves(a[3]) + halves(b[0]) + halves(b[1]);
  return __dadd_rn(__dmul_rn((double)sum, 0x1p-17), -6.0);
}

enum { NORMAL, UNIFORM, POSITIVE, LARGE, CONSTANT, RAMP, ZEROS, REAL_DOMAIN, DRAWN, WHOLE_CONSTANT, WHOLE_RAMP };
enum { F64, F32, F16, BF16, I64, I32, I8, U8, BOOLEAN, U16, U32, U64, E4M3, E5M2 };
__device__ bool is_real(int dtype) { return dtype <= BF16 || dtype >= E4M3; }

__device__ double real_element(int kind, u64 seed, u32 ordinal, double lo, double width, double hi, double below,
    u64 i) {
  switch (kind) {
    case NORMAL: return normal(seed, ordinal, i);
    case UNIFORM: return __dadd_rn(__dmul_rn(2.0, unit(seed, ordinal, i)), -1.0);
    case POSITIVE: return __dadd_rn(1.0, -unit(seed, ordinal, i));
    case LARGE: return __dmul_rn(100.0, normal(seed, ordinal, i));
    case CONSTANT: return 1.0;
    case RAMP: return (double)((i64)(i % 17) - 8);
    case REAL_DOMAIN: {
      const double v = __dadd_rn(lo, __dmul_rn(width, unit(seed, ordinal, i)));
      return v < hi ? v : below;
    }
  }
  return 0.0;
}
__device__ i64 whole_element(int kind, u64 seed, u32 ordinal, i64 lo, i64 hi, u64 i) {
  if (kind == WHOLE_CONSTANT) return lo;
  if (kind == WHOLE_RAMP) return (i64)(i % 17 % (u64)hi) + lo;
  if (hi <= lo) return lo;
  u32 c[4];
  words(c, seed, ordinal, i, 0);
  return (i64)((u64)lo + __umul64hi((u64)c[0] << 32 | c[1], (u64)hi - (u64)lo));
}

// To a 16-bit type with `fraction` bits and least exponent `least`, to nearest even; `infinite` is its infinity.
__device__ u16 narrow(double v, int fraction, int least, u32 infinite) {
  const u64 b = (u64)__double_as_longlong(v);
  const u32 sign = (u32)(b >> 63) << 15;
  const int e = (int)(b >> 52 & 2047) - 1023;
  const u64 f = b & 0xfffffffffffffull;
  if (e == 1024) return (u16)(sign | (f ? infinite | 1u << (fraction - 1) : infinite));
  if (e == -1023) return (u16)sign;
  const u64 significand = f | 1ull << 52;
  const int shift = 52 - fraction + (e < least ? least - e : 0);
  if (shift > 53) return (u16)sign;
  u64 q = significand >> shift;
  const u64 rest = significand & ((1ull << shift) - 1), half = 1ull << (shift - 1);
  if (rest > half || (rest == half && (q & 1))) ++q;
  const u64 bits = e < least ? q : ((u64)(e - least) << fraction) + q;
  return (u16)(sign | (bits > infinite ? infinite : (u32)bits));
}
// To 8 bits, with what is beyond `largest` kept at it.
__device__ u8 narrow8(double v, int fraction, int least, double largest) {
  const u32 sign = (u32)((u64)__double_as_longlong(v) >> 63) << 7;
  if (v != v) return (u8)(sign | 0x7fu);
  const double magnitude = fabs(v);
  return (u8)(sign | narrow(magnitude > largest ? largest : magnitude, fraction, least, 0x7fffu));
}
__device__ i64 clamped(i64 v, i64 lo, i64 hi) { return v < lo ? lo : v > hi ? hi : v; }

extern "C" __global__ void ww_fill(u8* out, i64 count, int dtype, int kind, u64 seed, u32 ordinal, double lo,
                                   double width, double hi, double below, i64 whole_lo, i64 whole_hi) {
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (u64)count; i += (u64)gridDim.x * blockDim.x) {
    if (is_real(dtype)) {
      const double v = real_element(kind, seed, ordinal, lo, width, hi, below, i);
      if (dtype == F64) ((double*)out)[i] = v;
      else if (dtype == F32) ((float*)out)[i] = __double2float_rn(v);
      else if (dtype == F16) ((u16*)out)[i] = narrow(v, 10, -14, 0x7c00u);
      else if (dtype == BF16) ((u16*)out)[i] = narrow(v, 7, -126, 0x7f80u);
      else if (dtype == E4M3) out[i] = narrow8(v, 3, -6, 448.0);
      else out[i] = narrow8(v, 2, -14, 57344.0);
    } else {
      const i64 v = whole_element(kind, seed, ordinal, whole_lo, whole_hi, i);
      if (dtype == I64 || dtype == U64) ((i64*)out)[i] = v;
      else if (dtype == I32) ((int*)out)[i] = (int)clamped(v, -2147483647ll - 1, 2147483647ll);
      else if (dtype == I8) ((signed char*)out)[i] = (signed char)clamped(v, -128, 127);
      else if (dtype == U8) out[i] = (u8)clamped(v, 0, 255);
      else if (dtype == U16) ((u16*)out)[i] = (u16)clamped(v, 0, 65535);
      else if (dtype == U32) ((u32*)out)[i] = (u32)clamped(v, 0, 4294967295ll);
      else out[i] = v != 0;
    }
  }
}

extern "C" __global__ void ww_differ(const u8* a, const u8* b, i64 bytes, u32* flag) {
  const u64 first = (u64)blockIdx.x * blockDim.x + threadIdx.x, step = (u64)gridDim.x * blockDim.x,
      whole = (u64)bytes / 16;
  bool differ = false;
  for (u64 i = first; i < whole; i += step) {
    const uint4 x = ((const uint4*)a)[i], y = ((const uint4*)b)[i];
    differ = differ || x.x != y.x || x.y != y.y || x.z != y.z || x.w != y.w;
  }
  for (u64 i = whole * 16 + first; i < (u64)bytes; i += step) differ = differ || a[i] != b[i];
  if (differ) atomicOr(flag, 1u);
}

// A sum over the words of a mix of each with its place: no single change, and no exchange of two words, leaves it as it
// was.
extern "C" __global__ void ww_digest(const u64* words, i64 count, u64* sum) {
  u64 mine = 0;
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (u64)count; i += (u64)gridDim.x * blockDim.x) {
    u64 x = words[i] ^ i * 0x9E3779B97F4A7C15ull;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;
    x = (x ^ x >> 32) * 0xD6E8FEB86659FD93ull;
    mine += x ^ x >> 32;
  }
  __shared__ u64 shared[256];
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (u32 n = blockDim.x / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) shared[threadIdx.x] += shared[threadIdx.x + n];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(sum, shared[0]);
}

struct Part {       // of some elements
  i64 wrong, unchecked, at;
  double worst, largest;
};
__device__ void join(Part& a, const Part& b) {
  a.wrong += b.wrong;
  a.unchecked += b.unchecked;
  if (b.largest > a.largest) a.largest = b.largest;
  if (b.at >= 0 && (a.at < 0 || b.worst > a.worst || (b.worst == a.worst && b.at < a.at))) {
    a.worst = b.worst;
    a.at = b.at;
  }
}
__device__ Part of_block(Part mine, Part* shared) {  // thread 0 gets the block's
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (u32 n = blockDim.x / 2; n > 0; n /= 2) {
    if (threadIdx.x < n) join(shared[threadIdx.x], shared[threadIdx.x + n]);
    __syncthreads();
  }
  return shared[0];
}

__device__ double load_8(u32 b, int fraction, int least) {
  const u32 magnitude = b & 127, e = magnitude >> fraction, f = magnitude & ((1u << fraction) - 1);
  double v = e == 0 ? ldexp((double)f, least - fraction)
                    : ldexp((double)(f + (1u << fraction)), (int)e - 1 + least - fraction);
  if (fraction == 3 ? magnitude == 127 : magnitude > 124) v = __longlong_as_double(0x7ff8000000000000ll);
  else if (fraction == 2 && magnitude == 124) v = __longlong_as_double(0x7ff0000000000000ll);
  return b & 128 ? -v : v;
}
__device__ double load_real(const u8* at, int dtype, u64 i) {
  if (dtype == E4M3) return load_8(at[i], 3, -6);
  if (dtype == E5M2) return load_8(at[i], 2, -14);
  if (dtype == F64) return ((const double*)at)[i];
  if (dtype == F32) return ((const float*)at)[i];
  const u32 b = ((const u16*)at)[i];
  if (dtype == BF16) return __int_as_float((int)(b << 16));
  const u32 e = b >> 10 & 31, f = b & 1023;
  const u32 single = e == 31 ? 0x7f800000u | f << 13 : (e + 112) << 23 | f << 13;
  const double magnitude = e == 0 ? f * 0x1p-24 : (double)__int_as_float((int)single);
  return b & 0x8000 ? -magnitude : magnitude;
}
__device__ i64 load_whole(const u8* at, int dtype, u64 i) {
  switch (dtype) {
    case I64:
    case U64: return ((const i64*)at)[i];
    case I32: return ((const int*)at)[i];
    case I8: return ((const signed char*)at)[i];
    case U16: return ((const u16*)at)[i];
    case U32: return ((const u32*)at)[i];
  }
  return at[i];
}
__device__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }
__device__ bool finite(double v) { return fabs(v) < infinity(); }
__device__ bool negative(double v) { return __double_as_longlong(v) < 0; }

// `limit`: what rounds to an infinity of the dtype, and everything beyond it.
__device__ void judge_real(Part& part, double expected, double bound, double actual, double least_bound,
    double limit, i64 i) {
  const double tolerance = bound < least_bound ? least_bound : bound;  // a NaN stays one
  double ratio = infinity();
  bool right;
  if (!finite(tolerance)) {
    ++part.unchecked;
    return;
  }
  if (expected != expected) {
    right = actual != actual;
  } else if (!finite(expected)) {
    right = actual == expected;
  } else if (actual != actual) {
    right = false;
  } else if (!finite(actual)) {
    const double reach = negative(actual) ? expected - tolerance : expected + tolerance;
    right = fabs(reach) >= limit && negative(reach) == negative(actual);
  } else {
    const double error = fabs(actual - expected);
    ratio = tolerance > 0 ? error / tolerance : error > 0 ? infinity() : 0;
    right = error <= tolerance;
    if (right && ratio > part.largest) part.largest = ratio;
  }
  if (right) return;
  ++part.wrong;
  if (part.at < 0 || ratio > part.worst) {
    part.worst = ratio;
    part.at = i;
  }
}
__device__ double whole_as_real(int dtype, i64 v) { return dtype == U64 ? (double)(u64)v : (double)v; }
__device__ void judge_whole(Part& part, int dtype, i64 expected, double bound, i64 actual, i64 i) {
  if (actual == expected) return;
  if (!finite(bound)) {
    ++part.unchecked;
    return;
  }
  const double error = fabs(whole_as_real(dtype, actual) - whole_as_real(dtype, expected));
  if (error <= bound) {
    if (error / bound > part.largest) part.largest = error / bound;
    return;
  }
  ++part.wrong;
  const double ratio = error > 1 ? error : 1;
  if (part.at < 0 || ratio > part.worst) {
    part.worst = ratio;
    part.at = i;
  }
}

extern "C" __global__ void ww_compare(const u8* actual, int dtype, const void* value, const double* bound, i64 count,
                                      double least_bound, double limit, Part* parts) {
  __shared__ Part shared[256];
  Part mine = {0, 0, -1, -1.0, 0.0};
  for (u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x; i < (u64)count; i += (u64)gridDim.x * blockDim.x) {
    if (is_real(dtype))
      judge_real(mine, ((const double*)value)[i], bound[i], load_real(actual, dtype, i), least_bound, limit, (i64)i);
    else judge_whole(mine, dtype, ((const i64*)value)[i], bound ? bound[i] : 0.0, load_whole(actual, dtype, i), (i64)i);
  }
  mine = of_block(mine, shared);
  if (threadIdx.x == 0) parts[blockIdx.x] = mine;
}

struct Result {
  i64 wrong, unchecked, worst;
  double worst_ratio, largest_ratio, expected, actual, bound;
};
extern "C" __global__ void ww_compare_end(const Part* parts, u32 blocks, const u8* actual, int dtype,
                                          const void* value, const double* bound, double least_bound, Result* result) {
  __shared__ Part shared[256];
  Part mine = {0, 0, -1, -1.0, 0.0};
  for (u32 i = threadIdx.x; i < blocks; i += blockDim.x) join(mine, parts[i]);
  mine = of_block(mine, shared);
  if (threadIdx.x != 0) return;
  Result r = {mine.wrong, mine.unchecked, mine.at, mine.at >= 0 ? mine.worst : 0.0, mine.largest, 0.0, 0.0, 0.0};
  if (mine.at >= 0 && is_real(dtype)) {
    r.expected = ((const double*)value)[mine.at];
    r.actual = load_real(actual, dtype, (u64)mine.at);
    const double b = bound[mine.at];
    r.bound = finite(r.expected) ? (b < least_bound ? least_bound : b) : 0.0;
  } else if (mine.at >= 0) {
    r.expected = whole_as_real(dtype, ((const i64*)value)[mine.at]);
    r.actual = whole_as_real(dtype, load_whole(actual, dtype, (u64)mine.at));
    r.bound = bound ? bound[mine.at] : 0.0;
  }
  *result = r;
}
)cuda";

}  // namespace ww::cuda
