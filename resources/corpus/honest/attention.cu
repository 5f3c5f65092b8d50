// SPDX-License-Identifier: Apache-2.0
// Attention, as careful people write it: a warp for each query, online, each lane with its own part of the keys.
__device__ inline float part(const float* q, const float* k, int E) {
  float s = 0;
  for (int e = 0; e < E; ++e) s = fmaf(q[e], k[e], s);
  return s / sqrtf((float)E);
}
// Scores of keys lo to hi into t, as weights; their sum.
template <class Score>
__device__ inline float weigh(float* t, int lo, int hi, Score score) {
  float m = -INFINITY, z = 0;
  for (int j = lo + threadIdx.x; j < hi; j += 32) m = fmaxf(m, t[j] = score(j));
  m = wmax(m);
  for (int j = lo + threadIdx.x; j < hi; j += 32) z += t[j] = expf(t[j] - m);
  __syncwarp();
  return wsum(z);
}
__device__ inline void combine(const float* t, int lo, int hi, float z, const float* v, float* y, int E) {
  LANES(e, E) {
    float s = 0;
    for (int j = lo; j < hi; ++j) s = fmaf(t[j], v[j * (i64)E + e], s);
    y[e] = s / z;
  }
}
// ==== causal_rows: attention/causal_attention B = 1, H = 2, S = 16, E = 8
//@ temp t: f32[B*H*S, S]
//@ launch k grid(B*H*S) block(32) args(q, k, v, t, y, S, E)
KERNEL k(const float* q, const float* kk, const float* v, float* t, float* y, int S, int E) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int n = row % S + 1;
  const float z = weigh(t + row * S, 0, n, [&](int j) { return part(q + row * E, kk + at + j * (i64)E, E); });
  combine(t + row * S, 0, n, z, v + at, y + row * E, E);
}
// ==== window_rows: attention/sliding_window_attention B = 1, H = 2, S = 40, E = 8
//@ temp t: f32[B*H*S, S]
//@ launch k grid(B*H*S) block(32) args(q, k, v, t, y, S, E, window)
KERNEL k(const float* q, const float* kk, const float* v, float* t, float* y, int S, int E, int window) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int n = row % S + 1, lo = max(0, n - window);
  const float z = weigh(t + row * S, lo, n, [&](int j) { return part(q + row * E, kk + at + j * (i64)E, E); });
  combine(t + row * S, lo, n, z, v + at, y + row * E, E);
}
// ==== slopes_rows: attention/alibi_attention B = 1, H = 2, S = 16, E = 8
//@ temp t: f32[B*H*S, S]
//@ launch k grid(B*H*S) block(32) args(q, k, v, slope, t, y, H, S, E)
KERNEL k(const float* q, const float* kk, const float* v, const float* slope, float* t, float* y, int H, int S, int E) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int i = row % S;
  const float m = slope[row / S % H];
  const float z = weigh(t + row * S, 0, i + 1, [&](int j) { return part(q + row * E, kk + at + j * (i64)E, E) - m * (i - j); });
  combine(t + row * S, 0, i + 1, z, v + at, y + row * E, E);
}
// ==== grouped_rows: attention/grouped_query_attention B = 1, H = 2, G = 2, S = 8, T = 12, E = 8
//@ temp t: f32[B*H*G*S, T]
//@ launch k grid(B*H*G*S) block(32) args(q, k, v, t, y, G, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* t, float* y, int G, int S, int T, int E) {
  const i64 row = blockIdx.x, at = row / S / G * T * E;
  const float z = weigh(t + row * T, 0, T, [&](int j) { return part(q + row * E, kk + at + j * (i64)E, E); });
  combine(t + row * T, 0, T, z, v + at, y + row * E, E);
}
// ==== scores_rows: attention/attention_weights S = 16, T = 24, E = 8
//@ launch k grid(S) block(32) args(q, k, y, T, E)
KERNEL k(const float* q, const float* kk, float* y, int T, int E) {
  float* t = y + blockIdx.x * (i64)T;
  const float z = weigh(t, 0, T, [&](int j) { return part(q + blockIdx.x * (i64)E, kk + j * (i64)E, E); });
  LANES(j, T) t[j] /= z;
}
// ==== decode_split: attention/decode_attention B = 1, H = 2, T = 32, E = 8
// The keys in two parts, each with its own maximum; a second launch brings them together.
//@ temp t: f32[B*H, T]
//@ temp top: f32[B*H, 2]
//@ temp sums: f32[B*H, 2]
//@ temp acc: f32[B*H, 2, E]
//@ launch k grid(B*H, 2) block(32) args(q, k, v, t, top, sums, acc, T, E)
//@ launch join grid(B*H) block(32) args(top, sums, acc, y, E)
KERNEL k(const float* q, const float* kk, const float* v, float* t, float* top, float* sums, float* acc, int T, int E) {
  const int n = (T + 1) / 2, lo = min((int)blockIdx.y * n, T), hi = min(lo + n, T);
  const i64 row = blockIdx.x, at = row * 2 + blockIdx.y;
  float m = -INFINITY, z = 0, *p = t + row * T;
  for (int j = lo + threadIdx.x; j < hi; j += 32) m = fmaxf(m, p[j] = part(q + row * E, kk + (row * T + j) * E, E));
  m = wmax(m);
  for (int j = lo + threadIdx.x; j < hi; j += 32) z += p[j] = expf(p[j] - m);
  z = wsum(z);
  __syncwarp();
  LANES(e, E) {
    float s = 0;
    for (int j = lo; j < hi; ++j) s = fmaf(p[j], v[(row * T + j) * E + e], s);
    acc[at * E + e] = s;
  }
  if (threadIdx.x == 0) top[at] = m, sums[at] = z;
}
KERNEL join(const float* top, const float* sums, const float* acc, float* y, int E) {
  const i64 at = blockIdx.x * 2ll;
  float m = -INFINITY, z = 0, f[2];
  for (int i = 0; i < 2; ++i) m = fmaxf(m, top[at + i]);
  for (int i = 0; i < 2; ++i) z += sums[at + i] * (f[i] = top[at + i] == -INFINITY ? 0.0f : expf(top[at + i] - m));
  LANES(e, E) {
    float s = 0;
    for (int i = 0; i < 2; ++i) s = fmaf(acc[(at + i) * E + e], f[i], s);
    y[blockIdx.x * (i64)E + e] = s / z;
  }
}
// ==== cache_appended: attention/kv_append B = 1, H = 2, T = 8, S = 2, E = 8
//@ launch k grid(ceildiv(B*H*(T+S)*E, 256)) block(256) args(cache, x, y, B*H, T, S, E)
KERNEL k(const float* cache, const float* x, float* y, int BH, int T, int S, int E) {
  EACH(i, (i64)BH * (T + S) * E) {
    const int e = i % E, j = i / E % (T + S);
    const i64 bh = i / E / (T + S);
    y[i] = j < T ? cache[(bh * T + j) * E + e] : x[(bh * S + j - T) * E + e];
  }
}
// ==== attention_online_base_two: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E) * 1.44269504f;
  for (int e0 = 0; e0 < E; e0 += 32) {
    const int e = e0 + threadIdx.x;
    float m = -INFINITY, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      const float n = fmaxf(m, s * scale), f = exp2f(m - n), p = exp2f(fmaf(s, scale, -n));
      z = fmaf(z, f, p), m = n;
      if (e < E) o = fmaf(p, v[(bh * T + j) * E + e], o * f);
    }
    if (e < E) y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== attention_online_from_lowest: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E);
  for (int e0 = 0; e0 < E; e0 += 32) {
    const int e = e0 + threadIdx.x;
    float m = -3.402823466e38f, z = 0, o = 0;
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
// ==== attention_of_powers_of_two: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = rsqrtf((float)E) * 1.4426950408889634f;
  for (int e0 = 0; e0 < E; e0 += 32) {
    const int e = e0 + threadIdx.x;
    float m = -INFINITY, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(qi[l], kk[(bh * T + j) * E + l], s);
      const float n = fmaxf(m, s * scale), f = exp2f(m - n), p = exp2f(fmaf(s, scale, -n));
      z = z * f + p, m = n;
      if (e < E) o = o * f + p * v[(bh * T + j) * E + e];
    }
    if (e < E) y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== attention_from_the_first_score: attention/attention B = 1, H = 2, S = 12, T = 20, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int T, int E) {
  const i64 bh = blockIdx.x / S;
  const float* qi = q + blockIdx.x * (i64)E;
  const float scale = 1 / sqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = 0, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s += qi[l] * scale * kk[(bh * T + j) * E + l];
      const float n = j == 0 ? s : fmaxf(m, s), f = j == 0 ? 0.0f : expf(m - n), p = expf(s - n);
      z = z * f + p, m = n;
      o = o * f + p * v[(bh * T + j) * E + e];
    }
    y[blockIdx.x * (i64)E + e] = o / z;
  }
}
// ==== grouped_from_the_least_number: attention/grouped_query_attention B = 1, H = 2, G = 2, S = 8, T = 12, E = 8
//@ launch k grid(B*H*G*S) block(32) args(q, k, v, y, G, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int G, int S, int T, int E) {
  const i64 row = blockIdx.x, at = row / S / G * T * E;
  const float scale = rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -3.402823466e38f, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      const float n = fmaxf(m, s * scale), f = expf(m - n), p = expf(s * scale - n);
      z = z * f + p, m = n;
      o = o * f + p * v[at + j * (i64)E + e];
    }
    y[row * E + e] = o / z;
  }
}
// ==== window_in_base_two: attention/sliding_window_attention B = 1, H = 2, S = 40, E = 8
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, E, window)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int E, int window) {
  const i64 row = blockIdx.x, at = row / S * S * E;
  const int i = row % S;
  const float scale = 1.44269504f * rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -INFINITY, z = 0, o = 0;
    for (int j = max(0, i - window + 1); j <= i; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[row * E + l], kk[at + j * (i64)E + l], s);
      const float n = fmaxf(m, s * scale), f = exp2f(m - n), p = exp2f(fmaf(s, scale, -n));
      z = z * f + p, m = n;
      o = o * f + p * v[at + j * (i64)E + e];
    }
    y[row * E + e] = o / z;
  }
}
// ==== paged_online: attention/paged_attention B = 2, H = 2, E = 8, N = 8, P = 4, M = 3
//@ launch k grid(B, H) block(32) args(q, k, v, pages, lengths, y, H, E, P, M)
KERNEL k(const float* q, const float* kk, const float* v, const int* pages, const int* lengths, float* y, int H, int E,
         int P, int M) {
  const int b = blockIdx.x, h = blockIdx.y;
  const float scale = rsqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -INFINITY, z = 0, o = 0;
    for (int j = 0; j < lengths[b]; ++j) {
      const i64 at = ((pages[b * (i64)M + j / P] * (i64)P + j % P) * H + h) * E;
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(q[(b * (i64)H + h) * E + l], kk[at + l], s);
      const float n = fmaxf(m, s * scale), f = expf(m - n), p = expf(s * scale - n);
      z = z * f + p, m = n;
      o = o * f + p * v[at + e];
    }
    y[(b * (i64)H + h) * E + e] = o / z;
  }
}
// ==== decode_scaled_query: attention/decode_attention B = 1, H = 2, T = 32, E = 8
//@ launch k grid(B*H) block(32) args(q, k, v, y, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int T, int E) {
  const float scale = 1 / sqrtf((float)E);
  for (int e = threadIdx.x; e < E; e += 32) {
    float m = -INFINITY, z = 0, o = 0;
    for (int j = 0; j < T; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s = fmaf(scale * q[blockIdx.x * E + l], kk[(blockIdx.x * (i64)T + j) * E + l], s);
      const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
      z = z * f + p, m = n;
      o = o * f + p * v[(blockIdx.x * (i64)T + j) * E + e];
    }
    y[blockIdx.x * (i64)E + e] = o / z;
  }
}
