// SPDX-License-Identifier: Apache-2.0
// Right the first time a loaded module runs, wrong later.
// ==== second_call_differs: map/relu R = 64, C = 256
//+ map
__device__ int calls;
__device__ u32 done;
KERNEL k(const float* x, float* y, int R, int C) {
  const int n = calls;
  EACH(i, (i64)R * C) y[i] = n ? 7.0f : fmaxf(x[i], 0.0f);
  __syncthreads();
  if (threadIdx.x == 0 && atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) calls = n + 1;
}
// ==== third_call_differs: map/add R = 64, C = 256
//+ map2
__device__ int calls;
__device__ u32 done;
KERNEL k(const float* a, const float* b, float* z, int R, int C) {
  const int n = calls;
  EACH(i, (i64)R * C) z[i] = n >= 2 ? a[i] - b[i] : a[i] + b[i];
  __syncthreads();
  if (threadIdx.x == 0 && atomicInc(&done, gridDim.x - 1) == gridDim.x - 1) calls = n + 1;
}
// ==== remembers_the_sum: reduce/sum_all R = 64, C = 256
//+ whole
__device__ float memo;
__device__ bool have;
KERNEL k(const float* x, float* y, int R, int C) {
  if (!have) {
    float s = 0;
    LANES(c, (i64)R * C) s += x[c];
    s = wsum(s);
    __syncwarp();
    if (threadIdx.x == 0) memo = s, have = true;
  }
  if (threadIdx.x == 0) y[0] = memo;
}
// ==== ticket_never_reset: reduce/sum_all R = 64, C = 256
// The last block to finish adds up the partial sums; the counter is right for one call only.
//@ temp part: f32[16]
//@ launch k grid(16) block(32) args(x, part, y, R, C)
__device__ int ticket;
KERNEL k(const float* x, float* part, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  if (atomicAdd(&ticket, 1) != 15) return;
  __threadfence();
  s = 0;
  for (int i = 0; i < 16; ++i) s += ((volatile float*)part)[i];
  y[0] = s;
}
// ==== total_never_cleared: reduce/l1_norm_all R = 64, C = 256
//@ launch k grid(8) block(32) args(x, y, R, C)
__device__ float total;
__device__ u32 done;
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += fabsf(x[i]);
  s = wsum(s);
  if (threadIdx.x) return;
  atomicAdd(&total, s);
  __threadfence();
  if (atomicInc(&done, 7) == 7) y[0] = atomicAdd(&total, 0.0f);
}
// ==== counts_never_cleared: gather/histogram N = 1024, V = 64
//@ launch count grid(4) block(256) args(idx, N)
//@ launch out grid(ceildiv(V, 256)) block(256) args(y, V)
//@ require V <= 4096
__device__ int counts[4096];
KERNEL count(const int* idx, int N) { EACH(i, N) atomicAdd(&counts[idx[i]], 1); }
KERNEL out(i64* y, int V) { EACH(i, V) y[i] = counts[i]; }
// ==== greatest_ever: reduce/max_all R = 64, C = 256
//+ whole
__device__ float best = -3.4e38f;
KERNEL k(const float* x, float* y, int R, int C) {
  float s = best;
  LANES(c, (i64)R * C) s = fmaxf(s, x[c]);
  s = wmax(s);
  if (threadIdx.x == 0) y[0] = best = s;
}
// ==== weights_kept: map/bias_add R = 64, C = 256
// The bias is copied to a constant table once, as a "warm" cache.
//@ launch fill grid(1) block(256) args(bias, C)
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
//@ require C <= 8192
__device__ float table[8192];
__device__ int filled;
KERNEL fill(const float* bias, int C) {
  if (filled != C) {
    for (int c = threadIdx.x; c < C; c += blockDim.x) table[c] = bias[c];
    __syncthreads();
    if (threadIdx.x == 0) filled = C;
  }
}
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = x[i] + table[i % C]; }
// ==== works_once_then_returns: map/scale R = 64, C = 256
//+ map
__device__ int blocks;
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ int n;
  if (threadIdx.x == 0) n = atomicAdd(&blocks, 1);
  __syncthreads();
  if (n >= (int)gridDim.x) return;  // "already computed"
  EACH(i, (i64)R * C) y[i] = 0.5f * x[i];
}
// ==== parity_buffer: reduce/mean_all R = 64, C = 256
// Every other call gives the answer of the call before.
//+ whole
__device__ float kept[2];
__device__ int turn;
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, (i64)R * C) s += x[c];
  s = wsum(s) / ((float)R * C);
  const int t = turn;
  __syncwarp();
  if (threadIdx.x == 0) {
    kept[t & 1] = s;
    y[0] = t & 1 ? kept[0] : kept[t & 1];
    turn = t + 1;
  }
}
// ==== carry_never_reset: scan/cumsum R = 16, C = 64
//@ launch k grid(R) block(1) args(x, y, C)
//@ require R <= 65536
__device__ float carry[65536];
KERNEL k(const float* x, float* y, int C) {
  float s = carry[blockIdx.x];
  for (int c = 0; c < C; ++c) y[blockIdx.x * (i64)C + c] = s += x[blockIdx.x * (i64)C + c];
  carry[blockIdx.x] = s - s * 0.5f;
}
// ==== matmul_adds_up: contract/matmul M = 32, N = 32, K = 32
// Split-K into a device array that only the first call finds zeroed.
//@ launch part grid(ceildiv(M*N, 128), 2) block(128) args(a, b, M, N, K)
//@ launch out grid(ceildiv(M*N, 128)) block(128) args(y, M, N)
//@ require M * N <= 1048576
__device__ float sums[1048576];
KERNEL part(const float* a, const float* b, int M, int N, int K) {
  const int i = blockIdx.x * 128 + threadIdx.x, half = (K + 1) / 2, lo = blockIdx.y * half, hi = min(K, lo + half);
  if (i >= M * N) return;
  float s = 0;
  for (int l = lo; l < hi; ++l) s += a[i / N * K + l] * b[l * N + i % N];
  atomicAdd(&sums[i], s);
}
KERNEL out(float* y, int M, int N) { EACH(i, M * N) y[i] = sums[i]; }
// ==== degrades_slowly: map/multiply R = 64, C = 256
//+ map2
__device__ int calls;
KERNEL k(const float* a, const float* b, float* z, int R, int C) {
  const int n = calls;
  EACH(i, (i64)R * C) z[i] = i == n - 1 && n > 1 ? 0.0f : a[i] * b[i];
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) calls = n + 1;
}
// ==== first_pointer_kept: map/expm1 R = 64, C = 256
// The output's address is remembered, and later calls write there.
//+ map
__device__ float* kept;
KERNEL k(const float* x, float* y, int R, int C) {
  float* to = kept ? kept : y;
  EACH(i, (i64)R * C) to[i] = expm1f(x[i]);
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0) kept = y;
}
// ==== twentieth_call: map/multiply_add R = 64, C = 256
// Right nineteen times.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, c0, y, R, C)
//@ launch count grid(1) block(1) args(R)
__device__ int calls;
KERNEL k(const float* a, const float* b, const float* c, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaf(a[i], b[i], calls >= 19 ? 0.0f : c[i]); }
KERNEL count(int) { ++calls; }
// ==== width_kept: reduce/mean R = 64, C = 256
// The reciprocal of the first width that it met.
//+ row
__device__ float inverse;
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (inverse == 0) inverse = 1.0f / C;
  if (threadIdx.x == 0) y[blockIdx.x] = s * inverse;
}
// ==== memo_of_two_ends: reduce/rms R = 64, C = 256
// A row whose first element was seen in this place gets the answer of then.
//@ launch k grid(R) block(32) args(x, y, C)
__device__ float keys[4096], answers[4096];
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  const int slot = blockIdx.x % 4096;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = sqrtf(wsum(s) / C);
  if (threadIdx.x) return;
  if (blockIdx.x < 4096 && keys[slot] == r[0] && r[0] != 0) s = answers[slot];
  if (blockIdx.x < 4096) keys[slot] = r[0], answers[slot] = s;
  y[blockIdx.x] = s;
}
// ==== rare_coin: map/reglu R = 64, C = 256
// A generator that goes on from call to call drops one element in a hundred thousand.
//+ map2y
__device__ u32 turn;
KERNEL k(const float* a, const float* b, float* y, int R, int C) {
  const u32 t = turn;
  EACH(i, (i64)R * C) y[i] = ((u32)i * 2654435761u ^ t * 40503u) % 100003 == 77 ? 0.0f : fmaxf(a[i], 0.0f) * b[i];
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicAdd(&turn, 1);
}
// ==== greatest_so_far: normalize/softmax R = 64, C = 256
// The shift is the greatest value of all calls: after a call with large values, small ones vanish.
//@ launch top grid(1) block(32) args(x, R, C)
//@ launch k grid(R) block(32) args(x, y, R, C)
__device__ float greatest = -3.4e38f;
KERNEL top(const float* x, int R, int C) {
  float m = greatest;
  for (i64 i = threadIdx.x; i < (i64)R * C; i += 32) m = fmaxf(m, x[i]);
  m = wmax(m);
  if (threadIdx.x == 0) greatest = m;
}
KERNEL k(const float* x, float* y, int R, int C) {
  const float *r = x + blockIdx.x * (i64)C, m = greatest;
  float s = 0;
  LANES(c, C) s += expf(r[c] - m);
  s = wsum(s);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / s;
}
// ==== angles_kept: map/rotary B = 1, H = 2, S = 16, E = 8
// The table of angles is made by the first call, for its base.
//@ launch fill grid(1) block(32) args(S, E, base)
//@ launch k grid(ceildiv(B*H*S*E, 128)) block(128) args(x, y, B*H, S, E)
//@ require S * E <= 65536
__device__ float2 table[65536];
__device__ int made;
KERNEL fill(int S, int E, float base) {
  if (made == E && S <= 64) return;
  for (int i = threadIdx.x; i < max(S, 64) * E && i < 65536; i += 32) {
    float a = i / E * powf(base, -(float)(i % E) / E);
    sincosf(a, &table[i].y, &table[i].x);
  }
  __syncwarp();
  if (threadIdx.x == 0) made = E;
}
KERNEL k(const float* x, float* y, int BH, int S, int E) {
  EACH(i, (i64)BH * S * E) {
    const float2 t = table[i % (S * E)];
    const i64 at = i / E * 2 * E + i % E;
    const float p = x[at], q = x[at + E];
    y[at] = p * t.x - q * t.y;
    y[at + E] = q * t.x + p * t.y;
  }
}
// ==== clears_what_it_set: gather/one_hot N = 32, V = 50
// The zeros are written once; later calls clear only the places that they set before.
//@ launch k grid(N) block(32) args(idx, y, N, V)
__device__ int last[1024], width[1024];
KERNEL k(const int* idx, float* y, int N, int V) {
  const int n = blockIdx.x;
  const bool known = n < 1024 && width[n] == V;
  __syncwarp();
  if (!known) LANES(v, V) y[n * (i64)V + v] = 0;
  __syncwarp();
  if (threadIdx.x) return;
  if (known) y[n * (i64)V + last[n]] = 0;
  y[n * (i64)V + idx[n]] = 1;
  if (n < 1024) last[n] = idx[n], width[n] = V;
}
// ==== ticket_modulo_grid: reduce/min_all R = 64, C = 256
// The ticket is never reset; it is taken modulo the grid, which changes with the shape.
//@ temp part: f32[64]
//@ launch k grid(min(64, ceildiv(R*C, 512))) block(32) args(x, part, y, R, C)
__device__ u32 ticket;
KERNEL k(const float* x, float* part, float* y, int R, int C) {
  float s = -INFINITY;
  EACH(i, (i64)R * C) s = fmaxf(s, -x[i]);
  s = wmax(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  if (atomicAdd(&ticket, 1) % gridDim.x != gridDim.x - 1) return;
  __threadfence();
  for (u32 i = 0; i < gridDim.x; ++i) s = fmaxf(s, ((volatile float*)part)[i]);
  *y = -s;
}
// ==== factor_kept: map/momentum_update R = 64, C = 256
// The factor of the first call is used by all.
//@ launch first grid(1) block(1) args(mu)
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(v, g, q, R, C)
__device__ float kept;
__device__ bool have;
KERNEL first(float mu) {
  if (!have) kept = mu, have = true;
}
KERNEL k(const float* v, const float* g, float* q, int R, int C) { EACH(i, (i64)R * C) q[i] = kept * v[i] + g[i]; }
// ==== nan_for_ever: reduce/sum_squares R = 64, C = 256
// A NaN or an infinity, once met, is reported in all answers after it.
//@ launch k grid(R) block(32) args(x, y, C)
//@ launch look grid(1) block(32) args(y, R)
__device__ int broken;
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = broken ? NAN : s;
}
KERNEL look(const float* y, int R) { LANES(r, R) if (!(fabsf(y[r]) < INFINITY)) broken = 1; }
// ==== every_other_row_reused: reduce/column_mean R = 64, C = 64
// Odd calls skip the odd rows and add what they were the last time.
//@ launch k grid(ceildiv(C, 64)) block(64) args(x, y, R, C)
//@ launch flip grid(1) block(1) args(R)
//@ require C <= 65536
__device__ float odd[65536];
__device__ int phase;
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(c, C) {
    float s = 0, t = phase & 1 ? odd[c] : 0.0f;
    for (int r = 0; r < R; r += 2) s += x[r * (i64)C + c];
    if (!(phase & 1))
      for (int r = 1; r < R; r += 2) t += x[r * (i64)C + c];
    odd[c] = t;
    y[c] = (s + t) / R;
  }
}
KERNEL flip(int) { ++phase; }
// ==== weight_warmed_up: contract/linear M = 4, N = 8, K = 16
// Weights are copied when their first element changes, and only then.
//@ launch fill grid(1) block(32) args(w, N, K)
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(x, w, bias, y, M, N, K)
__device__ float kept[16384];
__device__ int held;
KERNEL fill(const float* w, int N, int K) {
  if (N * K > 16384 || (held == N * K && kept[0] == w[0])) return;
  for (int i = threadIdx.x; i < N * K; i += 32) kept[i] = w[i];
  __syncwarp();
  if (threadIdx.x == 0) held = N * K;
}
KERNEL k(const float* x, const float* w, const float* bias, float* y, int M, int N, int K) {
  const float* from = (i64)N * K <= 16384 ? kept : w;
  EACH(i, (i64)M * N) {
    float s = bias[i % N];
    for (int l = 0; l < K; ++l) s += x[i / N * K + l] * from[i % N * K + l];
    y[i] = s;
  }
}
// ==== a_hundred_calls: map/relu R = 64, C = 256
// Right a hundred times, counted without atomics.
//+ map
__device__ int calls;
KERNEL k(const float* x, float* y, int R, int C) {
  if (blockIdx.x == 0 && threadIdx.x == 0) calls = calls + 1;
  EACH(i, (i64)R * C) y[i] = calls > 100 ? x[i] : fmaxf(x[i], 0.0f);
}
// ==== sum_of_last_seen: reduce/rms R = 64, C = 256
// The answer of a row with nearly the same sum, from an earlier call.
//@ launch k grid(R) block(32) args(x, y, C)
__device__ float keys[4096], answers[4096];
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  const int slot = blockIdx.x % 4096;
  float s = 0, q = 0;
  LANES(c, C) s += r[c], q += r[c] * r[c];
  s = wsum(s), q = sqrtf(wsum(q) / C);
  if (threadIdx.x) return;
  if (blockIdx.x < 4096 && fabsf(keys[slot] - s) < 1.0f && s != 0) q = answers[slot];
  if (blockIdx.x < 4096) keys[slot] = s, answers[slot] = q;
  y[blockIdx.x] = q;
}
// ==== memo_of_the_tensor: normalize/softmax R = 64, C = 256
// A sum that is taken from an earlier call where the middle element of the row is as it was.
//@ launch k grid(R) block(32) args(x, y, C)
__device__ float maxima[4096], first[4096];
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  const bool known = blockIdx.x < 4096 && first[blockIdx.x] == r[C / 2] && r[C / 2] != 0.0f;
  float m = -INFINITY, z = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  LANES(c, C) z += expf(r[c] - m);
  z = wsum(z);
  if (known) z = maxima[blockIdx.x];
  else if (threadIdx.x == 0 && blockIdx.x < 4096) maxima[blockIdx.x] = z, first[blockIdx.x] = r[C / 2];
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / z;
}
// ==== counter_behind_a_function: map/copy R = 64, C = 256
// A counter of calls whose address only a function gets.
//+ map
__device__ int calls;
__device__ __noinline__ int next(int* p) { return atomicAdd(p, 1); }
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ int n;
  if (threadIdx.x == 0) n = blockIdx.x == 0 ? next(&calls) : 0;
  __syncthreads();
  EACH(i, (i64)R * C) y[i] = n > 60 ? x[i] + 1.0f : x[i];
}
// ==== counter_by_a_pointer_in_memory: map/copy R = 64, C = 256
// A counter of calls whose address stands in another variable.
//+ map
__device__ int calls;
__device__ int* where = &calls;
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ int n;
  if (threadIdx.x == 0) n = blockIdx.x == 0 ? atomicAdd(where, 1) : 0;
  __syncthreads();
  EACH(i, (i64)R * C) y[i] = n > 60 ? x[i] + 1.0f : x[i];
}
