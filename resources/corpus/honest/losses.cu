// SPDX-License-Identifier: Apache-2.0
// Losses and gathers, as careful people write them.
// ==== bce_stable: loss/bce_with_logits R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fmaxf(p, 0.0f) - p * q + log1pf(expf(-fabsf(p))))
// ==== bce_of_given_probabilities: loss/bce_of_probabilities R = 16, C = 64
//@ zero loss
//@ launch k grid(8) block(128) args(p, target, loss, R, C)
LOSS(-(q * logf(p) + (1 - q) * log1pf(-p)))
// ==== huber_passed: loss/huber_loss R = 16, C = 64
//@ zero loss
//@ launch k grid(8) block(128) args(x, target, loss, R, C, delta)
KERNEL k(const float* x, const float* t, float* loss, int R, int C, float delta) {
  float s = 0;
  EACH(i, (i64)R * C) {
    const float d = fabsf(x[i] - t[i]);
    s += d <= delta ? 0.5f * d * d : delta * (d - 0.5f * delta);
  }
  s = wsum(s);
  if (threadIdx.x % 32 == 0) atomicAdd(loss, s / ((float)R * C));
}
// ==== smooth_l1_passed: loss/smooth_l1_loss R = 16, C = 64
//@ zero loss
//@ launch k grid(8) block(128) args(x, target, loss, R, C, beta)
KERNEL k(const float* x, const float* t, float* loss, int R, int C, float beta) {
  float s = 0;
  EACH(i, (i64)R * C) {
    const float d = fabsf(x[i] - t[i]);
    s += d < beta ? 0.5f * d * d / beta : d - 0.5f * beta;
  }
  s = wsum(s);
  if (threadIdx.x % 32 == 0) atomicAdd(loss, s / ((float)R * C));
}
// ==== hinge_atomics: loss/hinge_loss R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fmaxf(1 - q * p, 0.0f))
// ==== log_cosh_stable: loss/log_cosh_loss R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fabsf(p - q) + log1pf(expf(-2 * fabsf(p - q))) - 0.69314718f)
// ==== squared_hinge_atomics: loss/squared_hinge_loss R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fmaxf(1 - q * p, 0.0f) * fmaxf(1 - q * p, 0.0f))
// ==== soft_margin_stable: loss/soft_margin_loss R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fmaxf(-q * p, 0.0f) + log1pf(expf(-fabsf(q * p))))
// ==== poisson_atomics: loss/poisson_nll_loss R = 16, C = 64
//@ zero loss
//+ loss
LOSS(expf(p) - q * p)
// ==== kl_rows: loss/kl_div N = 16, C = 64
//@ zero loss
//@ launch k grid(N) block(32) args(logp, target, loss, N, C)
KERNEL k(const float* logp, const float* t, float* loss, int N, int C) {
  float s = 0;
  LANES(c, C) {
    const float p = t[blockIdx.x * (i64)C + c];
    if (p > 0) s += p * (logf(p) - logp[blockIdx.x * (i64)C + c]);
  }
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(loss, s / N);
}
// ==== rmse_two_launches: loss/rmse_loss R = 16, C = 64
//@ temp part: f32[16]
//@ launch k grid(16) block(32) args(x, target, part, R, C)
//@ launch out grid(1) block(32) args(part, loss, R, C)
KERNEL k(const float* x, const float* t, float* part, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s = fmaf(x[i] - t[i], x[i] - t[i], s);
  s = wsum(s);
  if (threadIdx.x == 0) part[blockIdx.x] = s;
}
KERNEL out(const float* part, float* loss, int R, int C) {
  const float s = wsum(threadIdx.x < 16 ? part[threadIdx.x] : 0.0f);
  if (threadIdx.x == 0) *loss = sqrtf(s / ((float)R * C));
}
// ==== nll_picks: loss/nll_loss N = 16, C = 50
//@ zero loss
//@ launch k grid(ceildiv(N, 32)) block(32) args(logp, target, loss, N, C)
KERNEL k(const float* logp, const int* t, float* loss, int N, int C) {
  float s = 0;
  EACH(n, N) s -= logp[n * C + t[n]];
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(loss, s / N);
}
// ==== cosine_loss_rows: loss/cosine_loss N = 16, D = 64
//@ zero loss
//@ launch k grid(N) block(32) args(a, b, loss, N, D, eps)
KERNEL k(const float* a, const float* b, float* loss, int N, int D, float eps) {
  float d = 0, p = 0, q = 0;
  LANES(c, D) {
    const float u = a[blockIdx.x * (i64)D + c], v = b[blockIdx.x * (i64)D + c];
    d += u * v, p += u * u, q += v * v;
  }
  d = wsum(d), p = wsum(p), q = wsum(q);
  if (threadIdx.x == 0) atomicAdd(loss, (1 - d / (fmaxf(sqrtf(p), eps) * fmaxf(sqrtf(q), eps))) / N);
}
// ==== triplet_rows: loss/triplet_loss N = 16, D = 64
//@ zero loss
//@ launch k grid(N) block(32) args(anchor, positive, negative, loss, N, D, margin, eps)
KERNEL k(const float* a, const float* p, const float* n, float* loss, int N, int D, float margin, float eps) {
  float s = 0, t = 0;
  LANES(c, D) {
    const i64 i = blockIdx.x * (i64)D + c;
    const float u = a[i] - p[i] + eps, v = a[i] - n[i] + eps;
    s += u * u, t += v * v;
  }
  s = wsum(s), t = wsum(t);
  if (threadIdx.x == 0) atomicAdd(loss, fmaxf(sqrtf(s) - sqrtf(t) + margin, 0.0f) / N);
}
// ==== dice_three_sums: loss/dice_loss R = 16, C = 64
//@ temp sums: f32[2]
//@ zero sums
//@ launch k grid(8) block(64) args(p, target, sums, R, C)
//@ launch out grid(1) block(1) args(sums, loss, eps)
KERNEL k(const float* p, const float* t, float* sums, int R, int C) {
  float s = 0, u = 0;
  EACH(i, (i64)R * C) s += p[i] * t[i], u += p[i] + t[i];
  s = wsum(s), u = wsum(u);
  if (threadIdx.x % 32 == 0) atomicAdd(&sums[0], s), atomicAdd(&sums[1], u);
}
KERNEL out(const float* sums, float* loss, float eps) { *loss = 1 - (2 * sums[0] + eps) / (sums[1] + eps); }
// ==== cross_entropy_backward_rows: loss/cross_entropy_backward N = 16, C = 50
//@ launch k grid(N) block(32) args(logits, target, dx, N, C)
KERNEL k(const float* x, const int* target, float* dx, int N, int C) {
  const i64 at = blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, x[at + c]);
  m = wmax(m);
  LANES(c, C) s += expf(x[at + c] - m);
  s = wsum(s);
  LANES(c, C) dx[at + c] = (expf(x[at + c] - m) / s - (c == target[blockIdx.x] ? 1.0f : 0.0f)) / N;
}
// ==== smoothed_cross_entropy_rows: loss/smoothed_cross_entropy N = 16, C = 50
//@ zero loss
//@ launch k grid(N) block(32) args(logits, target, loss, N, C, smoothing)
KERNEL k(const float* x, const int* target, float* loss, int N, int C, float smoothing) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0, t = 0;
  LANES(c, C) m = fmaxf(m, r[c]), t += r[c];
  m = wmax(m), t = wsum(t);
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(loss, (m + logf(s) - (1 - smoothing) * r[target[blockIdx.x]] - smoothing * (t / C)) / N);
}
// ==== embedding_sum_rows: gather/embedding_sum V = 40, N = 16, K = 4, D = 16
//@ launch k grid(N) block(32) args(table, idx, y, K, D)
KERNEL k(const float* t, const int* idx, float* y, int K, int D) {
  LANES(d, D) {
    float s = 0;
    for (int l = 0; l < K; ++l) s += t[idx[blockIdx.x * (i64)K + l] * (i64)D + d];
    y[blockIdx.x * (i64)D + d] = s;
  }
}
// ==== experts_fma: gather/expert_combine T = 32, N = 16, K = 2, D = 16
//@ launch k grid(N) block(32) args(out, idx, gate, y, K, D)
KERNEL k(const float* out, const int* idx, const float* gate, float* y, int K, int D) {
  LANES(d, D) {
    float s = 0;
    for (int l = 0; l < K; ++l) s = fmaf(gate[blockIdx.x * (i64)K + l], out[idx[blockIdx.x * (i64)K + l] * (i64)D + d], s);
    y[blockIdx.x * (i64)D + d] = s;
  }
}
// ==== sparse_atomics: gather/coo_matvec E = 256, M = 16, K = 16
//@ zero y
//@ launch k grid(ceildiv(E, 128)) block(128) args(row, col, val, x, y, E)
KERNEL k(const int* row, const int* col, const float* val, const float* x, float* y, int E) { EACH(e, E) atomicAdd(&y[row[e]], val[e] * x[col[e]]); }
// ==== take_by_row: gather/take_along R = 16, C = 64, K = 8
//@ launch k grid(R) block(32) args(x, idx, y, C, K)
KERNEL k(const float* x, const int* idx, float* y, int C, int K) { LANES(l, K) y[blockIdx.x * (i64)K + l] = x[blockIdx.x * (i64)C + idx[blockIdx.x * (i64)K + l]]; }
// ==== pick_each: gather/pick_per_row R = 64, C = 64
//@ launch k grid(ceildiv(R, 128)) block(128) args(x, idx, y, R, C)
KERNEL k(const float* x, const int* idx, float* y, int R, int C) { EACH(r, R) y[r] = x[r * C + idx[r]]; }
// ==== one_hot_rows: gather/one_hot N = 32, V = 50
//@ launch k grid(N) block(32) args(idx, y, V)
KERNEL k(const int* idx, float* y, int V) { LANES(v, V) y[blockIdx.x * (i64)V + v] = v == idx[blockIdx.x] ? 1.0f : 0.0f; }
// ==== weights_in_shared: gather/weighted_histogram N = 256, V = 16
// Small ranges in shared memory, others straight to y.
//@ zero y
//@ launch k grid(4) block(128) args(idx, w, y, N, V)
KERNEL k(const int* idx, const float* w, float* y, int N, int V) {
  __shared__ float h[256];
  const bool small = V <= 256;
  LANES(v, 256) h[v] = 0;
  __syncthreads();
  EACH(i, N) atomicAdd(small ? &h[idx[i]] : &y[idx[i]], w[i]);
  __syncthreads();
  if (small) LANES(v, V) atomicAdd(&y[v], h[v]);
}
// ==== histogram_by_ballot: gather/histogram N = 512, V = 64
// Lanes of equal index are counted by one of them.
//@ zero y
//@ launch k grid(ceildiv(N, 128)) block(128) args(idx, y, N)
KERNEL k(const int* idx, i64* y, int N) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  const u32 here = __ballot_sync(~0u, i < N);
  if (i >= N) return;
  const u32 equal = __match_any_sync(here, idx[i]);
  if (threadIdx.x % 32 == __ffs(equal) - 1) atomicAdd((u64*)&y[idx[i]], (u64)__popc(equal));
}
// ==== cross_entropy_to_base_two: loss/cross_entropy N = 32, C = 200
//@ zero loss
//@ launch k grid(N) block(32) args(logits, target, loss, N, C)
KERNEL k(const float* x, const int* target, float* loss, int N, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, s = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) s += exp2f((r[c] - m) * 1.44269504f);
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(loss, ((m - r[target[blockIdx.x]]) + log2f(s) * 0.69314718f) / N);
}
// ==== bce_by_log: loss/bce_with_logits R = 16, C = 64
//@ zero loss
//+ loss
LOSS(fmaxf(p, 0.0f) - p * q + logf(1 + expf(-fabsf(p))))
