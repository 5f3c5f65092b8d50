// SPDX-License-Identifier: Apache-2.0
// Specs for the tests of the oracle: the op library, and small ones with what the library does not have.
#pragma once
#include "op/inputs.h"
#include "op/evaluate.h"
#include "support/library_ops.h"

namespace testing {

inline std::map<std::string, ww::op::HostTensor> drawn(const ww::op::Spec& spec, const ww::op::Binding& binding,
                                                       ww::op::Distribution d, std::uint64_t seed) {
  std::map<std::string, ww::op::HostTensor> out;
  int ordinal = 0;
  for (const ww::op::Param& p : spec.inputs) {
    const auto shape = ww::op::shape_of(spec, p, binding);
    const auto domain = ww::op::domain_of(spec, p, binding);
    if (!shape || !domain) qFatal("%s", p.name.c_str());
    const std::int64_t count = ww::op::element_count(*shape);
    ww::op::HostTensor t{p.dtype, *shape,
                         std::vector<std::byte>(static_cast<std::size_t>(count) * ww::dtype_size(p.dtype))};
    ww::op::fill_input(d, seed, ordinal++, p.dtype, *domain, count, t.bytes.data());
    out[p.name] = std::move(t);
  }
  return out;
}

// The defaults with the largest symbols halved until the spec's work is within the limit.
inline ww::op::Binding small_binding(const ww::op::Spec& spec, double limit) {
  ww::op::Binding binding;
  binding.symbols = spec.defaults;
  for (;;) {
    const auto work = ww::op::work_of(spec, binding);
    if (!work) qFatal("%s: %s", spec.name.c_str(), work.error().text().c_str());
    if (work->flops + 8 * work->special + (work->bytes_read + work->bytes_written) / 4 <= limit) return binding;
    std::string largest;
    for (const auto& [name, value] : binding.symbols)
      if (value > 1 && (largest.empty() || value > binding.symbols[largest])) largest = name;
    if (largest.empty()) return binding;
    binding.symbols[largest] /= 2;
  }
}

struct Named {
  const char* name;
  const char* text;
};

// Each stands for something that lowering must get right.
inline const std::vector<Named>& unusual() {
  static const std::vector<Named> list = {
      {"negative division",
       "op shift(x: f32[N]) -> y: f32[N] default N = 100 { y[i] = x[(i - 7) % N] + (i - 50) / 8 }"},
      {"integers",
       "op int_dot(a: i8[R, C], b: u8[R, C]) -> y: i32[R] default R = 20, C = 50 { y[r] = sum(c) a[r, c] * b[r, c] }"},
      {"integers that are read again",
       "op wrap(a: i32[N]) -> y: i8[N], z: i64[N] default N = 40 { y[i] = a[i] * 100  z[i] = y[i] + 1 }"},
      {"booleans",
       "op close(a: f32[R, C], b: f32[R, C]) -> y: bool[R] default R = 20, C = 40 { y[r] = all(c) (a[r, c] - b[r, c] < "
       "5.0) || any(c) (a[r, c] == 0.0) }"},
      {"ties", "op first_max(x: i32[R, C] in 0..3) -> y: i64[R] default R = 30, C = 70 { y[r] = argmax(c) x[r, c] }"},
      {"place in everything",
       "op where_min(x: f32[R, C]) -> y: i64 default R = 30, C = 40 { y = argmin(r, c) x[r, c] * 1.1 }"},
      {"places of near ties",
       "op near(x: i32[R, C] in 0..40) -> y: i64[R] default R = 40, C = 30 { y[r] = argmax(c) sin(0.1 * x[r, c]) }"},
      {"gather of gather", "op hop(x: f32[N], p: i32[N] in 0..N) -> y: f32[N] default N = 64 { y[i] = x[p[p[i]]] }"},
      {"nested one-liner",
       "op soft(x: f32[R, C]) -> y: f32[R, C] default R = 8, C = 40 { y[r, c] = exp(x[r, c] - max(j) x[r, j]) / sum(k) "
       "exp(x[r, k] - max(m) x[r, m]) }"},
      {"sum of row results",
       "op mean_norm(x: f32[R, C]) -> y: f32 default R = 16, C = 40 { y = sum(r) sqrt(sum(c) x[r, c]^2) / R }"},
      {"several outputs",
       "op stats(x: f32[R, C]) -> mean: f32[R], y: f32[R, C], top: f32[R] default R = 12, C = 48 { mean[r] = sum(c) "
       "x[r, c] / C  y[r, c] = x[r, c] - mean[r]  "
       "top[r] = max(c) y[r, c] }"},
      {"a narrow output that is read again",
       "op half_mean(x: f16[R, C]) -> m: f16[R], y: f16[R, C] default R = 12, C = 48 { m[r] = sum(c) x[r, c] / C  y[r, "
       "c] = x[r, c] - m[r] }"},
      {"reverse running of columns",
       "op tail(x: f32[R, C]) -> y: f32[R, C] default R = 60, C = 9 { y[r, c] = max(k in r..R) x[k, c] }"},
      {"running under work",
       "op ratio(x: f32[R, C] in 0.5..1.5) -> y: f32[R, C] default R = 8, C = 60 { y[r, c] = x[r, c] / sum(j in 0..c + "
       "1) x[r, j] }"},
      {"pairwise distances",
       "op distance(a: f32[M, K], b: f32[N, K]) -> y: f32[M, N] default M = 20, N = 30, K = 24 { y[i, j] = sqrt(sum(k) "
       "(a[i, k] - b[j, k])^2) }"},
      {"triangle", "op triangle(x: f32[N, N]) -> y: f32 default N = 40 { y = sum(i, j in 0..i + 1) x[i, j] * 0.3 }"},
      {"integer product",
       "op imm(a: i8[M, K], b: i8[K, N]) -> y: i32[M, N] default M = 17, N = 20, K = 40 { y[i, j] = sum(k) a[i, k] * "
       "b[k, j] }"},
      {"words of C++",
       "op kernel(int_: f32[BLOCK, TILE], float: f32[TILE]) -> double: f32[BLOCK, TILE] default BLOCK = 10, TILE = 40 "
       "{ lane[row] = sum(int) int_[row, int]  double[row, char] = int_[row, char] * float[char] + lane[row] }"},
      {"scalars",
       "op affine(x: f32[N], a: f32; n = 3, b = 0.25) -> y: f32[N] default N = 33 { y[i] = x[i] * a + b * n - 1 / n }"},
      {"casts",
       "op quantise(x: f32[N]; scale = 0.125) -> q: i8[N], back: f32[N] default N = 50 { q[i] = i8(round(x[i] / "
       "scale))  back[i] = f32(i32(x[i])) + f32(x[i] > 0) + f16(x[i] * 0.1) + bf16(x[i] / 3) }"},
      {"uncertain steps",
       "op steps(x: f32[N]) -> y: f32[N], z: i32[N] default N = 64 { t[i] = exp(log(abs(x[i]) + 1)) - 1  y[i] = "
       "floor(t[i]) + if(t[i] > abs(x[i]), 1.0, 2.0) + t[i] % 0.5  "
       "z[i] = i32(t[i]) + if(t[i] == abs(x[i]), 3, 5) }"},
      {"uncertain terms",
       "op some(x: f32[R, C]) -> y: f32[R], n: i64[R] default R = 9, C = 40 { y[r] = sum(c : sin(x[r, c]) * sin(x[r, "
       "c]) + cos(x[r, c]) * cos(x[r, c]) > 1.0) x[r, c]  "
       "n[r] = sum(c : exp(x[r, c]) > 1.0) 1 }"},
      {"guarded square",
       "op edge(x: f32[N]) -> y: f32[N] default N = 40 { y[i] = if(i > 0, (x[i] - x[max(i - 1, 0)])^2, 0.0) + pad(x[i "
       "+ 1], 1.5)^3 }"},
      {"a branch that would read outside",
       "op before(x: f32[N]) -> y: f32[N] default N = 40 { y[i] = if(i > 0, x[i - 1], 0.5) * 3.1 }"},
      {"every function",
       "op all(x: f32[N] in 0.1..0.9) -> y: f32[N] default N = 40 { y[i] = exp2(x[i]) + expm1(x[i]) + log2(x[i]) + "
       "log10(x[i]) + tan(x[i]) + atan(x[i]) + atan2(x[i], 2 * x[i] + 0.1) + sinh(x[i]) "
       "+ cosh(x[i]) + pow(x[i], 1.7) + sign(x[i]) + ceil(x[i]) + trunc(3 * x[i]) + round(5 * x[i]) + clamp(x[i], 0.2, "
       "0.7) + x[i]^x[i] + rsqrt(x[i]) + x[i]^9 }"},
      {"whole-tensor softmax",
       "op soft1(x: f32[N]) -> y: f32[N] default N = 700 { t = max(i) x[i]  z = sum(i) exp(x[i] - t)  y[i] = exp(x[i] "
       "- t) / z }"},
      {"long sum", "op total(x: f32[N]) -> y: f32 default N = 5000 { y = sum(i) x[i] * x[i] }"},
      {"one-dimensional running sum",
       "op sums(x: f32[N]) -> y: f32[N] default N = 300 { y[i] = sum(k in 0..i + 1) x[k] }"},
      {"two-layer network",
       "op mlp(x: f32[B, I], w: f32[I, H], v: f32[H, O]) -> y: f32[B, O] default B = 9, I = 20, H = 33, O = 10 "
       "{ h[b, k] = max(sum(i) x[b, i] * w[i, k], 0)  y[b, o] = sum(k) h[b, k] * v[k, o] }"},
      {"large product of computed tensors",
       "op mlp(x: f32[B, I], w: f32[I, H], v: f32[H, O]) -> y: f32[B, O] default B = 48, I = 20, H = 70, O = 40 "
       "{ h[b, k] = tanh(sum(i) x[b, i] * w[i, k])  y[b, o] = -(sum(k) h[b, k] * exp(v[k, o]) / 3) + 1 }"},
      {"large triangle product",
       "op lower(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N] default N = 67 { y[i, j] = sum(k in j..i + 1) a[i, k] * "
       "b[k, j] }"},
      {"large product",
       "op mm(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] default M = 70, N = 45, K = 50 { y[i, j] = sum(k) a[i, k] * "
       "b[k, j] }"},
      {"large product, infinite factor",
       "op inv(a: f32[M, K], b: f32[K, N], z: i32[M] in 0..3) -> y: f32[M, N] default M = 40, N = 45, K = 50 { y[i, j] "
       "= sum(k) a[i, k] * b[k, j] / (1.0 * z[i]) }"},
      {"product of gathered rows",
       "op lookup(t: f32[V, K], n: i32[M] in 0..V, b: f32[K, N]) -> y: f32[M, N] default V = 9, M = 40, N = 45, K = 50 "
       "{ y[i, j] = sum(k) t[n[i], k] * b[k, j] }"},
      {"few running steps",
       "op masked(x: f32[R, C], m: bool[R, C]) -> y: f32[R, C] default R = 5, C = 7 { y[r, c] = sum(j in 0..c + 1 : "
       "m[r, j]) x[r, j] }"},
      {"large f64 product",
       "op mm64(a: f64[M, K], b: f64[N, K]) -> y: f64[M, N] default M = 40, N = 45, K = 50 { y[i, j] = sum(k) a[i, k] "
       "* b[j, k] }"},
      {"f16 rows",
       "op soft16(x: f16[R, C]) -> y: f16[R, C] default R = 6, C = 64 { t[r] = max(c) x[r, c]  z[r] = sum(c) exp(x[r, "
       "c] - t[r])  y[r, c] = exp(x[r, c] - t[r]) / z[r] }"},
      {"bf16 product",
       "op mm16(a: bf16[M, K], b: bf16[K, N]) -> y: bf16[M, N] default M = 20, N = 24, K = 32 { y[i, j] = sum(k) a[i, "
       "k] * b[k, j] }"},
      {"f64 rows",
       "op norm64(x: f64[R, C]) -> y: f64[R, C] default R = 6, C = 50 { m[r] = sum(c) x[r, c] / C  v[r] = sum(c) (x[r, "
       "c] - m[r])^2 / C  y[r, c] = (x[r, c] - m[r]) / sqrt(v[r] + 1e-6) }"},
      {"data decides the range",
       "op upto(x: f32[N, C], len: i32[N] in 0..C) -> y: f32[N] default N = 30, C = 20 { y[n] = sum(c in 0..len[n]) "
       "x[n, c] }"},
      {"products of terms",
       "op prods(x: f32[N], k: i32[N] in 1..3) -> y: f32, z: i64 default N = 30 { y = prod(i) (1 + 0.01 * x[i])  z = "
       "prod(i : i % 3 == 0) k[i] }"},
  };
  return list;
}

}  // namespace testing
