// SPDX-License-Identifier: Apache-2.0
// Specs for the tests of the search: the op library, and small ones with what the library does not have.
#pragma once
#include "support/library_ops.h"

namespace testing {

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
       "op int_dot(a: i8[R, C], b: i8[R, C]) -> y: i32[R] default R = 20, C = 50 { y[r] = sum(c) a[r, c] * b[r, c] }"},
      {"wide integers", "op squares(a: i32[N]) -> y: i64[N] default N = 40 { y[i] = a[i] * a[i] * 100000 * 100000 }"},
      {"booleans",
       "op close(a: f32[R, C], b: f32[R, C]) -> y: bool[R] default R = 20, C = 40 { y[r] = all(c) (a[r, c] - b[r, c] < "
       "5.0) || any(c) (a[r, c] == 0.0) }"},
      {"ties", "op first_max(x: i32[R, C] in 0..3) -> y: i64[R] default R = 30, C = 70 { y[r] = argmax(c) x[r, c] }"},
      {"place in everything",
       "op where_min(x: f32[R, C]) -> y: i64 default R = 30, C = 40 { y = argmin(r, c) x[r, c] }"},
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
      {"condition scan",
       "op before(x: f32[R, C]) -> y: f32[R, C] default R = 6, C = 100 { y[r, c] = sum(k in 0..C : k < c) x[r, k] }"},
      {"reverse scan of columns",
       "op tail(x: f32[R, C]) -> y: f32[R, C] default R = 60, C = 9 { y[r, c] = max(k in r..R) x[k, c] }"},
      {"pairwise distances",
       "op distance(a: f32[M, K], b: f32[N, K]) -> y: f32[M, N] default M = 20, N = 30, K = 24 { y[i, j] = sqrt(sum(k) "
       "(a[i, k] - b[j, k])^2) }"},
      {"max-plus product",
       "op tropical(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N] default M = 20, N = 33, K = 24 { y[i, j] = max(k) "
       "(a[i, k] + b[k, j]) }"},
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
       "scale))  back[i] = f32(i32(x[i])) + f32(x[i] > 0) }"},
      {"guarded square",
       "op edge(x: f32[N]) -> y: f32[N] default N = 40 { y[i] = if(i > 0, (x[i] - x[max(i - 1, 0)])^2, 0.0) + pad(x[i "
       "+ 1], 1.5)^3 }"},
      {"batched transposition with work",
       "op scaled(x: f32[B, R, C], s: f32[C]) -> y: f32[B, C, R] default B = 2, R = 30, C = 37 { y[b, c, r] = x[b, r, "
       "c] * s[c] + 1.0 }"},
      {"long rows",
       "op long_softmax(x: f32[R, C]) -> y: f32[R, C] default R = 2, C = 1500 { t[r] = max(c) x[r, c]  e[r, c] = "
       "exp(x[r, c] - t[r])  z[r] = sum(c) e[r, c]  y[r, c] = e[r, c] / z[r] }"},
      {"whole-tensor softmax",
       "op soft1(x: f32[N]) -> y: f32[N] default N = 700 { t = max(i) x[i]  z = sum(i) exp(x[i] - t)  y[i] = exp(x[i] "
       "- t) / z }"},
      {"one-dimensional scan", "op sums(x: f32[N]) -> y: f32[N] default N = 500 { y[i] = sum(k in 0..i + 1) x[k] }"},
      {"two-layer network",
       "op mlp(x: f32[B, I], w: f32[I, H], v: f32[H, O]) -> y: f32[B, O] default B = 9, I = 20, H = 33, O = 10 "
       "{ h[b, k] = max(sum(i) x[b, i] * w[i, k], 0)  y[b, o] = sum(k) h[b, k] * v[k, o] }"},
      {"f16 rows",
       "op soft16(x: f16[R, C]) -> y: f16[R, C] default R = 6, C = 64 { t[r] = max(c) x[r, c]  z[r] = sum(c) exp(x[r, "
       "c] - t[r])  y[r, c] = exp(x[r, c] - t[r]) / z[r] }"},
      {"bf16 product",
       "op mm16(a: bf16[M, K], b: bf16[K, N]) -> y: bf16[M, N] default M = 20, N = 24, K = 32 { y[i, j] = sum(k) a[i, "
       "k] * b[k, j] }"},
      {"f64 rows",
       "op norm64(x: f64[R, C]) -> y: f64[R, C] default R = 6, C = 50 { m[r] = sum(c) x[r, c] / C  v[r] = sum(c) (x[r, "
       "c] - m[r])^2 / C  y[r, c] = (x[r, c] - m[r]) / sqrt(v[r] + 1e-6) }"},
      {"f16 map",
       "op add16(a: f16[R, C], b: f16[C]) -> y: f16[R, C] default R = 7, C = 40 { y[r, c] = a[r, c] + b[c] }"},
  };
  return list;
}

}  // namespace testing
