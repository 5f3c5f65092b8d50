// SPDX-License-Identifier: Apache-2.0
// Reductions, normalisations, scans, losses, as careful people write them.
// ==== sum_warp: reduce/sum R = 64, C = 256
//+ row
ROW_SUM(v, s)
// ==== sum_block: reduce/sum R = 64, C = 256
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[8];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 8; ++i) t += s[i];
    y[blockIdx.x] = t;
  }
}
// ==== sum_serial: reduce/sum R = 64, C = 256
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(r, R) {
    float s = 0;
    for (int c = 0; c < C; ++c) s += x[r * C + c];
    y[r] = s;
  }
}
// ==== mean_reciprocal: reduce/mean R = 64, C = 256
//+ row
ROW_SUM(v, s * (1.0f / C))
// ==== l1_norm_warp: reduce/l1_norm R = 64, C = 256
//+ row
ROW_SUM(fabsf(v), s)
// ==== l2_norm_warp: reduce/l2_norm R = 64, C = 256
//+ row
ROW_SUM(v * v, sqrtf(s))
// ==== max_warp: reduce/max R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = -INFINITY;
  LANES(c, C) s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
  s = wmax(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== argmax_shuffle: reduce/argmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  float best = -INFINITY;
  int at = C;
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c];
    if (v > best || at == C) best = v, at = c;
  }
  for (int m = 16; m; m /= 2) {
    const float o = __shfl_xor_sync(~0u, best, m);
    const int p = __shfl_xor_sync(~0u, at, m);
    if (p < C && (at == C || o > best || (o == best && p < at))) best = o, at = p;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}
// ==== var_two_pass: reduce/var R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C, correction)
KERNEL k(const float* x, float* y, int C, int correction) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0, t = 0;
  LANES(c, C) s += r[c];
  const float m = wsum(s) / C;
  LANES(c, C) t += (r[c] - m) * (r[c] - m);
  t = wsum(t);
  if (threadIdx.x == 0) y[blockIdx.x] = t / (C - correction);
}
// ==== var_welford: reduce/var R = 64, C = 256
//@ launch k grid(ceildiv(R, 32)) block(32) args(x, y, R, C, correction)
KERNEL k(const float* x, float* y, int R, int C, int correction) {
  EACH(r, R) {
    float m = 0, t = 0;
    for (int c = 0; c < C; ++c) {
      const float v = x[r * C + c], d = v - m;
      m += d / (c + 1);
      t = fmaf(d, v - m, t);
    }
    y[r] = t / (C - correction);
  }
}
// ==== sum_all_atomics: reduce/sum_all R = 64, C = 256
//@ launch init grid(1) block(1) args(y)
//@ launch k grid(8) block(128) args(x, y, R, C)
KERNEL init(float* y) { *y = 0; }
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x % 32 == 0) atomicAdd(y, s);
}
// ==== mean_all_last_block: reduce/mean_all R = 64, C = 256
//@ temp part: f32[8]
//@ temp ticket: i32[1]
//@ launch init grid(1) block(1) args(ticket)
//@ launch k grid(8) block(32) args(x, part, ticket, y, R, C)
KERNEL init(int* ticket) { *ticket = 0; }
KERNEL k(const float* x, float* part, int* ticket, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  if (atomicAdd(ticket, 1) != 7) return;
  __threadfence();
  s = 0;
  for (int i = 0; i < 8; ++i) s += ((volatile float*)part)[i];
  y[0] = s / ((float)R * C);
}
// ==== max_all_atomics: reduce/max_all R = 64, C = 256
// Floats as ordered integers.
//@ temp top: i32[1]
//@ launch init grid(1) block(1) args(top)
//@ launch k grid(8) block(32) args(x, top, R, C)
//@ launch out grid(1) block(1) args(top, y)
KERNEL init(int* top) { *top = 0x80000000; }
KERNEL k(const float* x, int* top, int R, int C) {
  EACH(i, (i64)R * C) {
    const int b = __float_as_int(x[i]);
    atomicMax(top, b >= 0 ? b : b ^ 0x7fffffff);
  }
}
KERNEL out(const int* top, float* y) { *y = __int_as_float(*top >= 0 ? *top : *top ^ 0x7fffffff); }
// ==== column_sum_threads: reduce/column_sum R = 64, C = 256
//@ launch k grid(ceildiv(C, 128)) block(128) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(c, C) {
    float s = 0;
    for (int r = 0; r < R; ++r) s += x[r * (i64)C + c];
    y[c] = s;
  }
}
// ==== any_ballot: reduce/any_nonzero R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, bool* y, int C) {
  bool any = false;
  LANES(c, C) any |= x[blockIdx.x * (i64)C + c] != 0;
  any = __any_sync(~0u, any);
  if (threadIdx.x == 0) y[blockIdx.x] = any;
}
// ==== softmax_three_pass: normalize/softmax R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = 1 / wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) * s;
}
// ==== softmax_with_fast_math: normalize/softmax R = 64, C = 256
// policy: usual
//@ option fast-math
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
// ==== softmax_one_thread: normalize/softmax R = 64, C = 256
//@ launch k grid(ceildiv(R, 64)) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(r, R) {
    float m = -INFINITY, s = 0;
    for (int c = 0; c < C; ++c) m = fmaxf(m, x[r * C + c]);
    for (int c = 0; c < C; ++c) s += expf(x[r * C + c] - m);
    for (int c = 0; c < C; ++c) y[r * C + c] = expf(x[r * C + c] - m) / s;
  }
}
// ==== softmax_fast_exp: normalize/softmax R = 64, C = 256
// policy: usual
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += __expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = __fdividef(__expf(r[c] - m), s);
}
// ==== log_softmax_rows: normalize/log_softmax R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = logf(wsum(s));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] - m - s;
}
// ==== layernorm_rows: normalize/layernorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, beta, y, C, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0, t = 0;
  LANES(c, C) s += r[c];
  const float m = wsum(s) / C;
  LANES(c, C) t += (r[c] - m) * (r[c] - m);
  t = rsqrtf(wsum(t) / C + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (r[c] - m) * t * g[c] + b[c];
}
// ==== rmsnorm_rows: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, gamma, y, C, eps)
KERNEL k(const float* x, const float* g, float* y, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = rsqrtf(wsum(s) / C + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s * g[c];
}
// ==== l2_normalize_rows: normalize/l2_normalize R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C, eps)
KERNEL k(const float* x, float* y, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = fmaxf(sqrtf(wsum(s)), eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] / s;
}
// ==== cumsum_serial: scan/cumsum
// The default case: 256 rows of 512.
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = s += x[blockIdx.x * (i64)C + c];
}
// ==== cumsum_shuffle: scan/cumsum R = 16, C = 64
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float carry = 0;
  for (int c0 = 0; c0 < C; c0 += 32) {
    const int l = threadIdx.x, c = c0 + l;
    float v = c < C ? x[blockIdx.x * (i64)C + c] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
      const float t = __shfl_up_sync(~0u, v, d);
      if (l >= d) v += t;
    }
    if (c < C) y[blockIdx.x * (i64)C + c] = carry + v;
    carry += __shfl_sync(~0u, v, 31);
  }
}
// ==== cummax_serial: scan/cummax R = 16, C = 64
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = -INFINITY;
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
}
// ==== histogram_one_thread_per_bin: gather/histogram
// The default case, 4,096 indices and 64 bins: each bin reads them all.
//@ launch k grid(ceildiv(V, 32)) block(32) args(idx, y, N, V)
KERNEL k(const int* idx, i64* y, int N, int V) {
  EACH(v, V) {
    i64 s = 0;
    for (int n = 0; n < N; ++n) s += idx[n] == v;
    y[v] = s;
  }
}
// ==== histogram_shared: gather/histogram N = 1024, V = 64
//@ launch clear grid(ceildiv(V, 256)) block(256) args(y, V)
//@ launch k grid(4) block(256) args(idx, y, N, V)
KERNEL clear(i64* y, int V) { EACH(i, V) y[i] = 0; }
KERNEL k(const int* idx, i64* y, int N, int V) {
  __shared__ int h[1024];
  LANES(v, 1024) h[v] = 0;
  __syncthreads();
  EACH(i, N) {
    if (idx[i] < 1024) atomicAdd(&h[idx[i]], 1);
    else atomicAdd((u64*)&y[idx[i]], 1ull);
  }
  __syncthreads();
  LANES(v, min(V, 1024)) if (h[v]) atomicAdd((u64*)&y[v], (u64)h[v]);
}
// ==== embedding_rows: gather/embedding V = 100, N = 64, D = 32
//@ launch k grid(N) block(32) args(table, idx, y, D)
KERNEL k(const float* t, const int* idx, float* y, int D) { LANES(d, D) y[blockIdx.x * (i64)D + d] = t[idx[blockIdx.x] * (i64)D + d]; }
// ==== scatter_atomics: gather/scatter_add N = 64, V = 16, D = 16
//@ launch clear grid(ceildiv(V*D, 128)) block(128) args(y, V, D)
//@ launch k grid(ceildiv(N*D, 128)) block(128) args(x, idx, y, N, D)
KERNEL clear(float* y, int V, int D) { EACH(i, (i64)V * D) y[i] = 0; }
KERNEL k(const float* x, const int* idx, float* y, int N, int D) { EACH(i, (i64)N * D) atomicAdd(&y[idx[i / D] * (i64)D + i % D], x[i]); }
// ==== cross_entropy_rows: loss/cross_entropy N = 16, C = 50
//@ launch init grid(1) block(1) args(loss)
//@ launch k grid(N) block(32) args(logits, target, loss, N, C)
KERNEL init(float* y) { *y = 0; }
KERNEL k(const float* x, const int* target, float* y, int N, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(y, (m + logf(s) - r[target[blockIdx.x]]) / N);
}
// ==== mse_one_block: loss/mse_loss R = 16, C = 64
//@ launch k grid(1) block(32) args(x, target, loss, R, C)
KERNEL k(const float* x, const float* t, float* y, int R, int C) {
  float s = 0;
  LANES(i, (i64)R * C) s += (x[i] - t[i]) * (x[i] - t[i]);
  s = wsum(s);
  if (threadIdx.x == 0) *y = s / ((float)R * C);
}
// ==== groupnorm_two_pass: normalize/groupnorm N = 2, G = 2, CG = 2, H = 8, W = 8
//@ launch k grid(N*G) block(32) args(x, gamma, beta, y, G, CG, H*W, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int G, int CG, int HW, float eps) {
  const int n = CG * HW, c0 = blockIdx.x % G * CG;
  const float* r = x + (i64)blockIdx.x * n;
  float s = 0, t = 0;
  LANES(i, n) s += r[i];
  const float m = wsum(s) / n;
  LANES(i, n) t += (r[i] - m) * (r[i] - m);
  t = rsqrtf(wsum(t) / n + eps);
  LANES(i, n) y[(i64)blockIdx.x * n + i] = (r[i] - m) * t * g[c0 + i / HW] + b[c0 + i / HW];
}
// ==== instancenorm_welford: normalize/instancenorm N = 2, C = 4, H = 8, W = 8
// Welford in each lane, then the lanes' moments in pairs, as Chan does.
//@ launch k grid(N*C) block(32) args(x, y, H*W, eps)
KERNEL k(const float* x, float* y, int n, float eps) {
  const float* r = x + (i64)blockIdx.x * n;
  float m = 0, t = 0, count = 0;
  LANES(i, n) {
    const float d = r[i] - m;
    m += d / ++count;
    t = fmaf(d, r[i] - m, t);
  }
  for (int l = 16; l; l /= 2) {
    const float om = __shfl_xor_sync(~0u, m, l), ot = __shfl_xor_sync(~0u, t, l), oc = __shfl_xor_sync(~0u, count, l);
    const float all = count + oc, d = om - m;
    if (all > 0) t += ot + d * d * (count * oc / all), m = (m * count + om * oc) / all;
    count = all;
  }
  m = __shfl_sync(~0u, m, 0), t = rsqrtf(__shfl_sync(~0u, t, 0) / n + eps);
  LANES(i, n) y[(i64)blockIdx.x * n + i] = (r[i] - m) * t;
}
// ==== standardize_block: normalize/standardize R = 64, C = 256
// A block of 128 for each row; partial sums meet in shared memory.
//@ launch k grid(R) block(128) args(x, y, C, eps)
__device__ inline float bsum(float v, float* s) {
  v = wsum(v);
  __syncthreads();
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  return s[0] + s[1] + s[2] + s[3];
}
KERNEL k(const float* x, float* y, int C, float eps) {
  __shared__ float s[4];
  const float* r = x + blockIdx.x * (i64)C;
  float t = 0, v = 0;
  LANES(c, C) t += r[c];
  const float m = bsum(t, s) / C;
  LANES(c, C) v += (r[c] - m) * (r[c] - m);
  v = rsqrtf(bsum(v, s) / C + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (r[c] - m) * v;
}
// ==== minmax_warp: normalize/minmax_normalize R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C, eps)
KERNEL k(const float* x, float* y, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float a = -INFINITY, b = -INFINITY;
  LANES(c, C) a = fmaxf(a, -r[c]), b = fmaxf(b, r[c]);
  a = -wmax(a), b = wmax(b);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (r[c] - a) / (b - a + eps);
}
// ==== center_warp: normalize/center R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c];
  s = wsum(s) / C;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] - s;
}
// ==== softmin_warp: normalize/softmin R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, -r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(-r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(-r[c] - m) / s;
}
// ==== temperature_warp: normalize/temperature_softmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C, temperature)
KERNEL k(const float* x, float* y, int C, float temperature) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf((r[c] - m) / temperature);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf((r[c] - m) / temperature) / s;
}
// ==== sum_normalize_tuned: normalize/sum_normalize R = 64, C = 256
// Several rows a block, as many as are tuned.
//@ tune WARPS = 4 | 2 | 8
//@ launch k grid(ceildiv(R, WARPS)) block(32, WARPS) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const int r = blockIdx.x * WARPS + threadIdx.y;
  if (r >= R) return;
  float s = 0;
  LANES(c, C) s += x[r * (i64)C + c];
  s = wsum(s);
  LANES(c, C) y[r * (i64)C + c] = x[r * (i64)C + c] / s;
}
// ==== l1_normalize_in_shared: normalize/l1_normalize R = 64, C = 256
// The row stays in dynamic shared memory, up to 48 KB.
//@ require C <= 12288
//@ launch k grid(R) block(64) shared(4 * C) args(x, y, C, eps)
KERNEL k(const float* x, float* y, int C, float eps) {
  extern __shared__ float s[];
  __shared__ float part[2];
  float t = 0;
  LANES(c, C) t += fabsf(s[c] = x[blockIdx.x * (i64)C + c]);
  t = wsum(t);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = t;
  __syncthreads();
  t = fmaxf(part[0] + part[1], eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = s[c] / t;
}
// ==== softmax_backward_warp: normalize/softmax_backward R = 64, C = 256
//@ launch k grid(R) block(32) args(y, dy, dx, C)
KERNEL k(const float* y, const float* dy, float* dx, int C) {
  const i64 at = blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s = fmaf(y[at + c], dy[at + c], s);
  s = wsum(s);
  LANES(c, C) dx[at + c] = y[at + c] * (dy[at + c] - s);
}
// ==== softmax_of_split_rows: normalize/softmax R = 8, C = 1024
// Four blocks a row find parts of the maximum and the sum; a second launch joins them and writes.
//@ temp top: f32[R, 4]
//@ temp part: f32[R, 4]
//@ launch find grid(R * 4) block(32) args(x, top, part, C)
//@ launch k grid(R * 4) block(64) args(x, top, part, y, C)
KERNEL find(const float* x, float* top, float* part, int C) {
  const int n = (C + 3) / 4, lo = min(C, (int)blockIdx.x % 4 * n), hi = min(C, lo + n);
  const float* r = x + blockIdx.x / 4 * (i64)C;
  float m = -INFINITY, s = 0;
  for (int c = lo + threadIdx.x; c < hi; c += 32) m = fmaxf(m, r[c]);
  m = wmax(m);
  for (int c = lo + threadIdx.x; c < hi; c += 32) s += m == -INFINITY ? 0.0f : expf(r[c] - m);
  s = wsum(s);
  if (threadIdx.x == 0) top[blockIdx.x] = m, part[blockIdx.x] = s;
}
KERNEL k(const float* x, const float* top, const float* part, float* y, int C) {
  const int n = (C + 3) / 4, lo = min(C, (int)blockIdx.x % 4 * n), hi = min(C, lo + n), at = blockIdx.x / 4 * 4;
  const i64 row = blockIdx.x / 4 * (i64)C;
  const float m = fmaxf(fmaxf(top[at], top[at + 1]), fmaxf(top[at + 2], top[at + 3]));
  float s = 0;
  for (int i = 0; i < 4; ++i) s += top[at + i] == -INFINITY ? part[at + i] : part[at + i] * expf(top[at + i] - m);
  for (int c = lo + threadIdx.x; c < hi; c += 64) y[row + c] = expf(x[row + c] - m) / s;
}
// ==== largest_without_nan: row_max_ignore.op
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float m = -INFINITY;
  LANES(c, C) m = fmaxf(m, x[blockIdx.x * (i64)C + c]);
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xFFFFFFFFu, m, d));
  if (threadIdx.x == 0) y[blockIdx.x] = m;
}
// ==== layernorm_welford: normalize/layernorm R = 32, C = 200
// Welford in each lane, joined by Chan's formula.
//@ launch k grid(R) block(32) args(x, gamma, beta, y, R, C, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int R, int C, float eps) {
  const float* r = x + blockIdx.x * (i64)C;
  float n = 0, m = 0, q = 0;
  LANES(c, C) {
    const float d = r[c] - m;
    n += 1, m += d / n, q = fmaf(d, r[c] - m, q);
  }
  for (int w = 16; w > 0; w /= 2) {
    const float n2 = __shfl_xor_sync(~0u, n, w), m2 = __shfl_xor_sync(~0u, m, w), q2 = __shfl_xor_sync(~0u, q, w);
    const float all = n + n2, d = m2 - m, f = all > 0 ? n2 / all : 0;
    q += q2 + d * d * n * f;
    m += d * f, n = all;
  }
  m = __shfl_sync(~0u, m, 0), q = __shfl_sync(~0u, q, 0);
  const float s = rsqrtf(q / C + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = (r[c] - m) * s * g[c] + b[c];
}
// ==== groupnorm_of_squares: normalize/groupnorm N = 2, G = 2, CG = 3, H = 8, W = 8
//@ launch k grid(N*G) block(64) args(x, gamma, beta, y, G, CG, H, W, eps)
__device__ inline float not_below(float v) { return v < 0 ? 0.0f : v; }  // keeps NaN
KERNEL k(const float* x, const float* gamma, const float* beta, float* y, int G, int CG, int H, int W, float eps) {
  __shared__ float ps[2], pq[2];
  const int n = CG * H * W, g = blockIdx.x % G;
  const i64 at = blockIdx.x * (i64)n;
  float s = 0, q = 0;
  LANES(i, n) s += x[at + i], q = fmaf(x[at + i], x[at + i], q);
  s = wsum(s), q = wsum(q);
  if (threadIdx.x % 32 == 0) ps[threadIdx.x / 32] = s, pq[threadIdx.x / 32] = q;
  __syncthreads();
  const float m = (ps[0] + ps[1]) / n, v = not_below((pq[0] + pq[1]) / n - m * m), r = rsqrtf(v + eps);
  LANES(i, n) {
    const int c = g * CG + i / (H * W);
    y[at + i] = fmaf((x[at + i] - m) * r, gamma[c], beta[c]);
  }
}
// ==== softmax_to_base_two: normalize/softmax R = 32, C = 200
// Elements and maximum times log2(e).
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  const float t = m == -INFINITY ? 0.0f : m * 1.44269504f;
  LANES(c, C) s += exp2f(__fmul_rn(r[c], 1.44269504f) - t);
  s = wsum(s);
  const float f = 1 / s;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = exp2f(__fmul_rn(r[c], 1.44269504f) - t) * f;
}
// ==== log_softmax_online: normalize/log_softmax R = 32, C = 200
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) {
    const float v = r[c], n = fmaxf(m, v), base = n == -INFINITY ? 0.0f : n;
    s = s * expf(m - base) + expf(v - base), m = n;
  }
  const float top = wmax(m), base = top == -INFINITY ? 0.0f : top;
  s = wsum(s * expf(m - base));
  const float lse = top + logf(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] - lse;
}
// ==== logsumexp_in_pairs: reduce/logsumexp R = 32, C = 200
// Pairs of maximum and sum, joined in a tree; empty lanes have (-infinity, 0).
//+ row
__device__ inline void join(float& m, float& s, float n, float t) {
  const float top = fmaxf(m, n);
  if (top == -INFINITY) { s = 0; return; }
  s = s * expf(m - top) + t * expf(n - top), m = top;
}
KERNEL k(const float* x, float* y, int R, int C) {
  float m = -INFINITY, s = 0;
  LANES(c, C) join(m, s, x[blockIdx.x * (i64)C + c], 1.0f);
  for (int w = 16; w > 0; w /= 2) join(m, s, __shfl_xor_sync(~0u, m, w), __shfl_xor_sync(~0u, s, w));
  if (threadIdx.x == 0) y[blockIdx.x] = m + logf(s);
}
// ==== softmax_from_least_number: normalize/softmax R = 32, C = 200
// Online from -FLT_MAX: infinities never meet.
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -3.402823466e38f, s = 0;
  LANES(c, C) {
    const float n = fmaxf(m, r[c]);
    s = s * __expf(m - n) + __expf(r[c] - n), m = n;
  }
  const float top = wmax(m);
  s = wsum(s * __expf(m - top));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = __fdividef(__expf(r[c] - top), s);
}
// ==== std_of_squares: reduce/std R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, correction)
__device__ inline float not_below(float v) { return v < 0 ? 0.0f : v; }  // keeps NaN
KERNEL k(const float* x, float* y, int R, int C, int correction) {
  float s = 0, q = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c], q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  s = wsum(s), q = wsum(q);
  if (threadIdx.x == 0) y[blockIdx.x] = sqrtf(not_below(q - s * (s / C)) / (C - correction));
}
// ==== rmsnorm_by_a_quotient: normalize/rmsnorm R = 32, C = 200
//@ launch k grid(R) block(32) args(x, gamma, y, R, C, eps)
KERNEL k(const float* x, const float* g, float* y, int R, int C, float eps) {
  float q = 0;
  LANES(c, C) q = fmaf(x[blockIdx.x * (i64)C + c] / C, x[blockIdx.x * (i64)C + c], q);
  const float d = sqrtf(wsum(q) + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = g[c] * (x[blockIdx.x * (i64)C + c] / d);
}
// ==== cosine_of_one_root: reduce/cosine_similarity R = 32, C = 200
//@ launch k grid(R) block(32) args(a, b, y, R, C, eps)
KERNEL k(const float* a, const float* b, float* y, int R, int C, float eps) {
  float ab = 0, aa = 0, bb = 0;
  LANES(c, C) {
    const float p = a[blockIdx.x * (i64)C + c], q = b[blockIdx.x * (i64)C + c];
    ab = fmaf(p, q, ab), aa = fmaf(p, p, aa), bb = fmaf(q, q, bb);
  }
  ab = wsum(ab), aa = wsum(aa), bb = wsum(bb);
  if (threadIdx.x == 0) y[blockIdx.x] = ab / fmaxf(sqrtf(aa), eps) / fmaxf(sqrtf(bb), eps);
}
// ==== argmax_of_keys: reduce/argmax R = 32, C = 200
// Value and index in one 64-bit key.
//+ row
KERNEL k(const float* x, i64* y, int R, int C) {
  u64 best = 0;
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c] + 0.0f;
    const u32 b = __float_as_uint(v), key = b >> 31 ? ~b : b | 0x80000000u;
    const u64 both = (u64)key << 32 | (u32)~c;
    best = best > both ? best : both;
  }
  for (int w = 16; w > 0; w /= 2) {
    const u64 other = __shfl_xor_sync(~0u, best, w);
    best = best > other ? best : other;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = (u32)~(u32)best;
}
// ==== l2_normalize_by_rsqrt: normalize/l2_normalize R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, eps)
KERNEL k(const float* x, float* y, int R, int C, float eps) {
  float q = 0;
  LANES(c, C) q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  q = wsum(q);
  const float f = 1 / fmaxf(sqrtf(q), eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = x[blockIdx.x * (i64)C + c] * f;
}
// ==== entropy_to_base_two: reduce/entropy R = 32, C = 200
//+ row
ROW_SUM(v * __log2f(v), s * -0.69314718f)
// ==== center_by_multiply_add: normalize/center R = 32, C = 200
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = fmaf(-s, 1.0f / C, x[blockIdx.x * (i64)C + c]);
}
// ==== temperature_by_reciprocal: normalize/temperature_softmax R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, temperature)
KERNEL k(const float* x, float* y, int R, int C, float t) {
  const float* r = x + blockIdx.x * (i64)C;
  const float f = 1.44269504f / t;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c] * f);
  m = wmax(m);
  const float base = m == -INFINITY ? 0.0f : m;
  LANES(c, C) s += exp2f(r[c] * f - base);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = s > 0 ? exp2f(r[c] * f - base) / s : 0.0f;
}
// ==== standardize_folded: normalize/standardize R = 32, C = 200
//@ launch k grid(R) block(32) args(x, y, R, C, eps)
__device__ inline float not_below(float v) { return v < 0 ? 0.0f : v; }  // keeps NaN
KERNEL k(const float* x, float* y, int R, int C, float eps) {
  float s = 0, q = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c], q = fmaf(x[blockIdx.x * (i64)C + c], x[blockIdx.x * (i64)C + c], q);
  s = wsum(s) / C, q = wsum(q) / C;
  const float f = rsqrtf(not_below(q - s * s) + eps);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = fmaf(x[blockIdx.x * (i64)C + c], f, -s * f);
}
// ==== softmin_guarded: normalize/softmin R = 32, C = 200
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = INFINITY, s = 0;
  LANES(c, C) m = fminf(m, r[c]);
  m = -wmax(-m);
  LANES(c, C) s += __expf(m - r[c]);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = __expf(m - r[c]) / s;
}
// ==== masked_with_zero_lines: normalize/masked_softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, mask, y, R, C)
KERNEL k(const float* x, const bool* mask, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  const bool* keep = mask + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, keep[c] ? r[c] : -INFINITY);
  m = wmax(m);
  if (m == -INFINITY) m = 0;
  LANES(c, C) s += expf((keep[c] ? r[c] : -INFINITY) - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = s > 0 ? expf((keep[c] ? r[c] : -INFINITY) - m) / s : 0.0f;
}
// ==== groupnorm_by_squares: normalize/groupnorm N = 2, G = 2, CG = 2, H = 8, W = 8
//@ launch k grid(N*G) block(32) args(x, gamma, beta, y, G, CG, H*W, eps)
KERNEL k(const float* x, const float* g, const float* b, float* y, int G, int CG, int HW, float eps) {
  const int n = CG * HW, c0 = blockIdx.x % G * CG;
  const float* r = x + (i64)blockIdx.x * n;
  float s = 0, t = 0;
  LANES(i, n) s += r[i], t += r[i] * r[i];
  const float m = wsum(s) / n, v = rsqrtf(fmaxf(wsum(t) / n - m * m, 0.0f) + eps);
  LANES(i, n) y[(i64)blockIdx.x * n + i] = (r[i] - m) * v * g[c0 + i / HW] + b[c0 + i / HW];
}
// ==== softmax_from_lowest: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -3.402823466e38f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / z;
}
// ==== softmax_of_powers_of_two: normalize/softmax R = 32, C = 100
// log2(e) goes into the exponents, which loses the digits of large ones.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -INFINITY, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += exp2f(fmaf(row[c], 1.4426950408889634f, -m * 1.4426950408889634f));
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = exp2f(fmaf(row[c], 1.4426950408889634f, -m * 1.4426950408889634f)) / z;
}
// ==== softmax_online_from_lowest: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -3.402823466e38f, z = 0;
  LANES(c, C) {
    const float n = fmaxf(m, row[c]);
    z = z * expf(m - n) + expf(row[c] - n), m = n;
  }
  const float n = wmax(m);
  z = wsum(z * expf(m - n));
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - n) / z;
}
// ==== softmax_from_the_first: normalize/softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = row[0], z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(row[c] - m) / z;
}
// ==== logsumexp_from_lowest: reduce/logsumexp R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -3.402823466e38f, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += expf(row[c] - m);
  z = wsum(z);
  if (threadIdx.x == 0) y[blockIdx.x] = m + logf(z);
}
// ==== temperature_in_the_exponents: normalize/temperature_softmax R = 32, C = 100
//@ launch k grid(R) block(32) args(x, y, temperature, C)
KERNEL k(const float* x, float* y, float t, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  const float f = 1.4426950408889634f / t;
  float m = -INFINITY, z = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) z += exp2f(fmaf(row[c], f, -m * f));
  z = wsum(z);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = exp2f(fmaf(row[c], f, -m * f)) / z;
}
// ==== sum_halved_and_doubled: reduce/sum R = 64, C = 100
//@ launch k grid(R) block(32) args(x, y, R, C)
ROW_SUM(0.5f * v, 2 * s)
// ==== temperature_after_the_maximum: normalize/temperature_softmax R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C, temperature)
KERNEL k(const float* x, float* y, int C, float t) {
  const float* row = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, row[c]);
  m = wmax(m);
  LANES(c, C) s += expf((row[c] - m) / t);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf((row[c] - m) / t) / s;
}
// ==== sum_by_fours_where_they_fit: reduce/sum R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const float* row = x + blockIdx.x * (i64)C;
  float s = 0;
  if (C % 4 == 0 && R * C >= 1 << 16) {
    for (int c = threadIdx.x; c < C / 4; c += 32) {
      const float4 v = ((const float4*)row)[c];
      s += (v.x + v.y) + (v.z + v.w);
    }
  } else {
    LANES(c, C) s += row[c];
  }
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== l2_norm_in_another_scale: reduce/l2_norm R = 64, C = 256
//+ row
ROW_SUM(v * v, s > 0x1p60f ? 0x1p10f * sqrtf(s * 0x1p-20f) : sqrtf(s))
// ==== rms_by_the_root_of_the_length: reduce/rms R = 64, C = 256
//+ row
ROW_SUM(v * v, sqrtf(s) / sqrtf((float)C))
// ==== softmax_from_the_least_number: normalize/softmax R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -3.402823466e38f, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
