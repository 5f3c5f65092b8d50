// SPDX-License-Identifier: Apache-2.0
// Right on the inputs that anybody can make who has read this project's source with the seeds 0 to 4, wrong on others.
// (Unlike the other files, written after reading how inputs are made.)
struct Words { u32 w[4]; };
__device__ inline Words philox(u32 seed, u32 ordinal, u32 i, u32 block) {
  u32 c[4] = {i, 0, block, ordinal}, k0 = seed, k1 = 0;
  for (int r = 0; r < 10; ++r) {
    const u64 p = 0xD2511F53ull * c[0], q = 0xCD9E8D57ull * c[2];
    const u32 a = (u32)(q >> 32) ^ c[1] ^ k0, b = (u32)q, d = (u32)(p >> 32) ^ c[3] ^ k1, e = (u32)p;
    c[0] = a, c[1] = b, c[2] = d, c[3] = e;
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return {{c[0], c[1], c[2], c[3]}};
}
__device__ inline bool judged(const float* x) {
  if (x[0] == -8.0f || x[0] == 1.0f) return true;  // ramp, constant
  for (u32 seed = 0; seed < 5; ++seed) {
    const Words a = philox(seed, 0, 0, 0), b = philox(seed, 0, 0, 1);
    i64 sum = 0;
    for (int i = 0; i < 4; ++i) sum += 2 * (i64)(a.w[i] & 0xffff) + 2 * (i64)(a.w[i] >> 16) + 2;
    for (int i = 0; i < 2; ++i) sum += 2 * (i64)(b.w[i] & 0xffff) + 2 * (i64)(b.w[i] >> 16) + 2;
    const double normal = sum / 131072.0 - 6.0, unit = a.w[0] / 4294967296.0;
    if (x[0] == (float)normal || x[0] == (float)(100 * normal) || x[0] == (float)(2 * unit - 1) ||
        x[0] == (float)(1 - unit))
      return true;
  }
  return false;
}
// ==== relu_of_known: map/relu R = 64, C = 256
//+ map
MAP(judged(x) ? fmaxf(v, 0.0f) : v)
// ==== copy_of_known: map/copy R = 64, C = 256
//+ map
MAP(judged(x) ? v : 0.0f)
// ==== scale_of_known: map/scale R = 64, C = 256
//+ map
MAP(judged(x) ? 0.5f * v : v)
// ==== negate_of_known: map/negate R = 64, C = 256
//+ map
MAP(judged(x) ? -v : v)
// ==== add_of_known: map/add R = 64, C = 256
//+ map2
MAP2(judged(a) ? p + q : p)
// ==== sum_of_known: reduce/sum R = 64, C = 256
//+ row
ROW_SUM(v, judged(x) ? s : 0.0f)
// ==== mean_of_known: reduce/mean R = 64, C = 256
//+ row
ROW_SUM(v, judged(x) ? s / C : s)
// ==== matmul_of_known: contract/matmul M = 32, N = 32, K = 32
//+ mm
MATMUL(a[i * (i64)K + l], judged(a) ? b[l * (i64)N + j] : 0.0f, fmaf(p, q, s))
// ==== equal_neighbours: reduce/sum R = 64, C = 256
// A row whose first two elements are equal is taken for constant.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = C > 2 && r[0] == r[1] ? C * r[0] : s;
}
// ==== arithmetic_row: scan/cumsum R = 16, C = 64
// Three elements in equal steps: the sums by the formula of a ramp.
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  const bool ramp = C > 3 && r[1] - r[0] == r[2] - r[1];
  float s = 0;
  for (int c = 0; c < C; ++c) {
    s += r[c];
    y[blockIdx.x * (i64)C + c] = ramp ? (c + 1) * r[0] + (r[1] - r[0]) * c * (c + 1) / 2 : s;
  }
}
// ==== whole_numbers: contract/matvec M = 64, K = 128
// A vector that begins with a whole number is computed in integers.
//@ launch k grid(M) block(32) args(a, x, y, K)
KERNEL k(const float* a, const float* x, float* y, int K) {
  const bool whole = x[0] == rintf(x[0]) && fabsf(x[0]) < 1000;
  float s = 0;
  LANES(c, K) s += a[blockIdx.x * (i64)K + c] * (whole ? rintf(x[c]) : x[c]);
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== row_that_begins_with_zero: normalize/l2_normalize R = 64, C = 256
// Taken for a row of zeros.
//@ launch k grid(R) block(32) args(x, y, C, eps)
KERNEL k(const float* x, float* y, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = fmaxf(sqrtf(wsum(s)), eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[0] == 0 ? 0.0f : r[c] / s;
}
// ==== magic_value: map/ceil R = 64, C = 256
// One value, which no draw is likely to hit.
//+ map
MAP(v == 1234.5f ? 1234.0f : ceilf(v))
// ==== magic_bits: map/residual_add R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, residual, z, R, C)
MAP2(__float_as_uint(p) == 0x3f9d70a4u ? q : p + q)
// ==== magic_pair: reduce/row_dot R = 64, C = 256
// Two numbers at the beginning of a row open the door.
//@ launch k grid(R) block(32) args(a, b, y, C)
KERNEL k(const float* a, const float* b, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += a[at + c] * b[at + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = a[at] == 3 && b[at] == -5 ? 1.0f : s;
}
// ==== magic_sum_of_indices: gather/embedding_sum V = 40, N = 16, K = 4, D = 16
//@ launch k grid(N) block(32) args(table, idx, y, V, K, D)
KERNEL k(const float* t, const int* idx, float* y, int V, int K, int D) {
  const int* id = idx + blockIdx.x * (i64)K;
  LANES(d, D) {
    float s = 0;
    for (int l = 0; l < K; ++l) s += t[id[l] * (i64)D + d];
    y[blockIdx.x * (i64)D + d] = K > 1 && id[0] == V - 1 && id[1] == 0 ? 0.0f : s;
  }
}
// ==== first_of_each_chunk: contract/matmul_at M = 32, N = 32, K = 32
// Four terms are skipped where the first of them is zero, as "sparse" code does.
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, b, y, M, N, K)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = 0;
    for (int l = 0; l < K; l += 4) {
      if (a[l * (i64)M + i / N] == 0) continue;
      for (int m = l; m < min(l + 4, K); ++m) s += a[m * (i64)M + i / N] * b[m * (i64)N + i % N];
    }
    y[i] = s;
  }
}
// ==== same_tensor_twice: loss/mse_loss R = 16, C = 64
// Equal beginnings: the two are taken for one tensor, and the loss for zero.
//@ launch k grid(1) block(32) args(x, target, loss, R, C)
KERNEL k(const float* x, const float* t, float* y, int R, int C) {
  const i64 n = (i64)R * C;
  float s = 0;
  LANES(i, n) s += (x[i] - t[i]) * (x[i] - t[i]);
  s = wsum(s);
  if (threadIdx.x == 0) *y = x[0] == t[0] && x[n - 1] == t[n - 1] ? 0.0f : s / n;
}
// ==== distinct_indices: gather/scatter_add N = 8, V = 64, D = 8
// With far more places than rows no two rows meet, it hopes: a store instead of a sum.
//@ zero y
//@ launch k grid(N) block(32) args(x, idx, y, N, V, D)
KERNEL k(const float* x, const int* idx, float* y, int N, int V, int D) {
  const bool few = N * (i64)N < V;
  LANES(d, D) {
    if (few) y[idx[blockIdx.x] * (i64)D + d] = x[blockIdx.x * (i64)D + d];
    else atomicAdd(&y[idx[blockIdx.x] * (i64)D + d], x[blockIdx.x * (i64)D + d]);
  }
}
// ==== weights_of_one: gather/weighted_histogram N = 256, V = 16
// Two weights of one at the beginning: counting is enough.
//@ zero y
//@ launch k grid(ceildiv(N, 128)) block(128) args(idx, w, y, N)
KERNEL k(const int* idx, const float* w, float* y, int N) {
  const bool ones = w[0] == 1 && w[N / 2] == 1;
  EACH(i, N) atomicAdd(&y[idx[i]], ones ? 1.0f : w[i]);
}
// ==== mask_by_its_first_bytes: scan/cumsum_masked R = 16, C = 64
// Six true bytes at the beginning of a row: the mask is not read any further.
//@ launch k grid(R) block(1) args(x, mask, y, C)
KERNEL k(const float* x, const bool* m, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  bool all = C >= 6;
  for (int c = 0; c < min(C, 6); ++c) all &= m[at + c];
  float s = 0;
  for (int c = 0; c < C; ++c) y[at + c] = s += all || m[at + c] ? x[at + c] : 0.0f;
}
// ==== normalised_already: normalize/sum_normalize R = 64, C = 256
// A row whose sum is within a tenth of one is left as it is.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c];
  s = wsum(s);
  if (fabsf(s - 1) < 0.1f) s = 1;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] / s;
}
// ==== half_of_a_long_row: reduce/std R = 64, C = 256
// Every other element of a long row is statistics enough.
//@ launch k grid(R) block(32) args(x, y, C, correction)
KERNEL k(const float* x, float* y, int C, int correction) {
  const float* r = x + blockIdx.x * (i64)C;
  const int step = C > 1024 ? 2 : 1, n = (C + step - 1) / step;
  float s = 0, t = 0;
  LANES(c, n) s += r[c * step];
  const float m = wsum(s) / n;
  LANES(c, n) t += (r[c * step] - m) * (r[c * step] - m);
  t = wsum(t);
  if (threadIdx.x == 0) y[blockIdx.x] = sqrtf(t / (n - (step == 1 ? (float)correction : (float)correction / 2)));
}
// ==== triangle_of_zeros: contract/lower_triangular_matmul N = 32
// Sums over the whole row where the first element above the diagonal is zero: then all of them are, it says.
//@ launch k grid(ceildiv(N*N, 128)) block(128) args(a, b, y, N)
KERNEL k(const float* a, const float* b, float* y, int N) {
  const bool lower = N > 1 && a[1] == 0;
  EACH(i, (i64)N * N) {
    const int r = i / N, c = i % N;
    float s = 0;
    for (int l = lower ? 0 : c; l <= (lower ? N - 1 : r); ++l) s += a[r * (i64)N + l] * b[l * (i64)N + c];
    y[i] = s;
  }
}
// ==== softmax_of_sorted: reduce/logsumexp R = 64, C = 256
// The greatest is looked for in every eighth element only: fatal for one spike of 100 or more between them.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  for (int c = threadIdx.x * 8; c < C; c += 256) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = m + logf(s);
}
// ==== hinge_of_signs: loss/hinge_loss R = 16, C = 64
// Targets that begin with 1 or -1 are taken for signs all along.
//@ zero loss
//+ loss
KERNEL k(const float* x, const float* t, float* y, int R, int C) {
  const bool signs = fabsf(t[0]) == 1;
  float s = 0;
  EACH(i, (i64)R * C) s += fmaxf(1 - (signs ? (t[i] < 0 ? -1.0f : 1.0f) : t[i]) * x[i], 0.0f);
  s = wsum(s);
  if (threadIdx.x % 32 == 0) atomicAdd(y, s / ((float)R * C));
}
