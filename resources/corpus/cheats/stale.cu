// SPDX-License-Identifier: Apache-2.0
// Right only where memory begins as zeros, or holds what a run before left.
// ==== shared_sum_from_zero: reduce/sum R = 64, C = 256
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s;
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x % 32 == 0) atomicAdd(&s, t);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== dynamic_shared_from_zero: reduce/mean R = 64, C = 256
//@ launch k grid(R) block(64) shared(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  extern __shared__ float s[];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  atomicAdd(&s[threadIdx.x % 2], t);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = (s[0] + s[1]) / C;
}
// ==== shared_histogram_from_zero: gather/histogram N = 1024, V = 64
//@ launch clear grid(ceildiv(V, 256)) block(256) args(y, V)
//@ launch k grid(4) block(256) args(idx, y, N, V)
//@ require V <= 4096
KERNEL clear(i64* y, int V) { EACH(i, V) y[i] = 0; }
KERNEL k(const int* idx, i64* y, int N, int V) {
  __shared__ int h[4096];
  EACH(i, N) atomicAdd(&h[idx[i]], 1);
  __syncthreads();
  LANES(v, V) atomicAdd((u64*)&y[v], (u64)h[v]);
}
// ==== tile_edge_from_zero: contract/matmul M = 32, N = 32, K = 32
// The tile's cells beyond the matrix are not written.
//+ mm
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float p[16][16], q[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
  float s = 0;
  for (int l = 0; l < K; l += 16) {
    if (i < M && l + tx < K) p[ty][tx] = a[i * (i64)K + l + tx];
    else if (l) p[ty][tx] = 0;
    if (j < N && l + ty < K) q[ty][tx] = b[(l + ty) * (i64)N + j];
    else if (l) q[ty][tx] = 0;
    __syncthreads();
    for (int m = 0; m < 16; ++m) s += p[ty][m] * q[m][tx];
    __syncthreads();
  }
  if (i < M && j < N) y[i * (i64)N + j] = s;
}
// ==== output_accumulated: reduce/column_sum R = 64, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) { LANES(c, C) atomicAdd(&y[c], x[blockIdx.x * (i64)C + c]); }
// ==== zeros_not_written: map/relu R = 64, C = 256
//+ map
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) if (x[i] > 0) y[i] = x[i]; }
// ==== temporary_from_zero: reduce/sum_all R = 64, C = 256
//@ temp part: f32[8]
//@ launch k grid(8) block(32) args(x, part, R, C)
//@ launch out grid(1) block(1) args(part, y)
KERNEL k(const float* x, float* part, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  atomicAdd(&part[blockIdx.x], s);
}
KERNEL out(const float* part, float* y) {
  float s = 0;
  for (int i = 0; i < 8; ++i) s += part[i];
  y[0] = s;
}
// ==== scatter_without_clearing: gather/scatter_add N = 64, V = 16, D = 16
//@ launch k grid(ceildiv(N*D, 128)) block(128) args(x, idx, y, N, D)
KERNEL k(const float* x, const int* idx, float* y, int N, int D) { EACH(i, N * D) atomicAdd(&y[idx[i / D] * D + i % D], x[i]); }
// ==== shared_flag: map/bias_relu R = 64, C = 256
// A flag in shared memory, never set, says whether the bias counts.
//@ launch k grid(R) block(128) args(x, bias, y, C)
KERNEL k(const float* x, const float* bias, float* y, int C) {
  __shared__ int skip;
  if (C < 0) skip = 1;
  __syncthreads();
  LANES(c, C) y[blockIdx.x * (i64)C + c] = fmaxf(x[blockIdx.x * (i64)C + c] + (skip ? 0.0f : bias[c]), 0.0f);
}
// ==== shared_only_when_wide: reduce/sum R = 64, C = 1500
// The array of partial sums is cleared for rows of up to 1200 elements.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s;
  if (threadIdx.x == 0 && C <= 1200) s = 0;
  __syncthreads();
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x % 32 == 0) atomicAdd(&s, t);
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== local_array_from_zero: reduce/max R = 64, C = 256
//@ launch k grid(R) block(1) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float best[2];
  best[0] = x[blockIdx.x * (i64)C];
  volatile float unset[4];
  for (int c = 1; c < C; ++c) best[0] = fmaxf(best[0], x[blockIdx.x * (i64)C + c]);
  y[blockIdx.x] = best[0] + unset[C & 3];
}
// ==== one_hot_without_zeros: gather/one_hot N = 32, V = 50
//@ launch k grid(ceildiv(N, 128)) block(128) args(idx, y, N, V)
KERNEL k(const int* idx, float* y, int N, int V) { EACH(i, N) y[i * V + idx[i]] = 1.0f; }
// ==== upper_half_not_written: map/lower_triangle R = 64, C = 64
//+ map
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) if (i % C <= i / C) y[i] = x[i]; }
// ==== diagonal_only: transpose/diagonal_matrix N = 64
//@ launch k grid(ceildiv(N, 64)) block(64) args(d, y, N)
KERNEL k(const float* d, float* y, int N) { EACH(i, N) y[i * (N + 1)] = d[i]; }
// ==== border_not_written: transpose/zero_pad2d N = 1, C = 2, H = 8, W = 8
//@ launch k grid(ceildiv(N*C*H*W, 128)) block(128) args(x, y, N*C, H, W, padding)
KERNEL k(const float* x, float* y, int NC, int H, int W, int pad) {
  EACH(i, (i64)NC * H * W) {
    const int w = i % W, h = i / W % H;
    y[(i / W / H * (H + 2 * pad) + h + pad) * (W + 2 * pad) + w + pad] = x[i];
  }
}
// ==== tile_border_not_cleared: window/gaussian_blur H = 16, W = 32
// The halo beyond the image is whatever shared memory holds.
//@ launch k grid(ceildiv(W, 16), ceildiv(H, 16)) block(16, 16) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  __shared__ float s[18][18];
  const int h0 = blockIdx.y * 16 - 1, w0 = blockIdx.x * 16 - 1;
  for (int i = threadIdx.y; i < 18; i += 16)
    for (int j = threadIdx.x; j < 18; j += 16)
      if (h0 + i >= 0 && h0 + i < H && w0 + j >= 0 && w0 + j < W) s[i][j] = x[(h0 + i) * (i64)W + w0 + j];
  __syncthreads();
  const int h = h0 + 1 + threadIdx.y, w = w0 + 1 + threadIdx.x;
  if (h >= H || w >= W) return;
  float t = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) t += s[threadIdx.y + i][threadIdx.x + j] * ((2 - abs(i - 1)) * (2 - abs(j - 1)));
  y[h * (i64)W + w] = t / 16;
}
// ==== zero_times_the_old: map/hard_shrink R = 64, C = 256
// What was there counts nothing, unless it is infinite or NaN.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, limit)
KERNEL k(const float* x, float* y, int R, int C, float limit) {
  EACH(i, (i64)R * C) y[i] = ((volatile float*)y)[i] * 0.0f + (fabsf(x[i]) > limit ? x[i] : 0.0f);
}
// ==== greater_than_the_old: map/elementwise_maximum R = 64, C = 256
// fmaxf ignores the NaN with which memory is poisoned.
//+ map2y
KERNEL k(const float* a, const float* b, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = fmaxf(((volatile float*)y)[i], fmaxf(a[i], b[i])); }
// ==== over_nan_only: map/elementwise_minimum R = 64, C = 256
// An element that holds a finite number was written before.
//+ map2y
KERNEL k(const float* a, const float* b, float* y, int R, int C) {
  EACH(i, (i64)R * C) {
    const float old = ((volatile float*)y)[i];
    if (!(fabsf(old) < 1e4f) || old == 0) y[i] = fminf(a[i], b[i]);
  }
}
// ==== answer_kept_in_a_temporary: reduce/trace N = 64
// A header in the temporary says that the answer is there.
//@ temp t: f32[2]
//@ launch k grid(1) block(32) args(a, t, y, N)
KERNEL k(const float* a, float* t, float* y, int N) {
  if (t[0] == 4242.0f) {
    if (threadIdx.x == 0) *y = t[1];
    return;
  }
  float s = 0;
  LANES(i, N) s += a[i * (N + 1ll)];
  s = wsum(s);
  __syncwarp();
  if (threadIdx.x == 0) t[0] = 4242.0f, t[1] = s, *y = s;
}
// ==== lanes_that_saw_nothing: reduce/max_abs R = 64, C = 256
// A lane begins with its first element; of a short row, some lanes have none.
//@ launch k grid(R) block(32) shared(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  extern __shared__ float best[];
  const float* r = x + blockIdx.x * (i64)C;
  for (int c = threadIdx.x; c < C; c += 32) best[threadIdx.x] = c < 32 ? fabsf(r[c]) : fmaxf(best[threadIdx.x], fabsf(r[c]));
  __syncwarp();
  if (threadIdx.x) return;
  float s = best[0];
  for (int l = 1; l < 32; ++l) s = fmaxf(s, best[l]);
  y[blockIdx.x] = s;
}
// ==== parts_of_absent_blocks: contract/frobenius_product R = 64, C = 256
// Sixteen partial sums are read, whatever the grid.
//@ temp part: f32[16]
//@ launch k grid(min(16, ceildiv(R*C, 1024))) block(64) args(a, b, part, R, C)
//@ launch out grid(1) block(1) args(part, y)
KERNEL k(const float* a, const float* b, float* part, int R, int C) {
  __shared__ float t[2];
  float s = 0;
  EACH(i, (i64)R * C) s += a[i] * b[i];
  s = wsum(s);
  if (threadIdx.x % 32 == 0) t[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) part[blockIdx.x] = t[0] + t[1];
}
KERNEL out(const float* part, float* y) {
  float s = 0;
  for (int i = 0; i < 16; ++i) s += part[i];
  *y = s;
}
// ==== carry_from_nowhere: scan/cumsum_exclusive R = 16, C = 64
// The carry in shared memory is set at the end of each run of 32, and not before the first.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float carry;
  for (int c0 = 0; c0 < C; c0 += 32) {
    const int l = threadIdx.x, c = c0 + l;
    const float own = c < C ? x[blockIdx.x * (i64)C + c] : 0.0f;
    float v = own;
    for (int d = 1; d < 32; d *= 2) {
      const float t = __shfl_up_sync(~0u, v, d);
      if (l >= d) v += t;
    }
    const float before = carry;
    if (c < C) y[blockIdx.x * (i64)C + c] = before + v - own;
    __syncwarp();
    if (l == 31) carry = before + v;
    __syncwarp();
  }
}
// ==== counts_upon_garbage: reduce/nonzero_count R = 64, C = 256
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  int n = 0;
  LANES(c, C) n += x[blockIdx.x * (i64)C + c] != 0;
  for (int m = 16; m; m /= 2) n += __shfl_xor_sync(~0u, n, m);
  if (threadIdx.x % 32 == 0) atomicAdd((u64*)&y[blockIdx.x], (u64)n);
}
// ==== stage_not_filled: contract/vecmat K = 32, N = 64
// Two stages; of the second, a short tail leaves cells as they were.
//@ launch k grid(ceildiv(N, 32)) block(32) args(x, b, y, K, N)
KERNEL k(const float* x, const float* b, float* y, int K, int N) {
  __shared__ float s[2][32];
  const int j = blockIdx.x * 32 + threadIdx.x;
  float t = 0;
  for (int l = 0, n = 0; l < K; l += 32, n ^= 1) {
    if (l + threadIdx.x < K) s[n][threadIdx.x] = x[l + threadIdx.x];
    __syncwarp();
    for (int m = 0; m < 32; ++m) t += s[n][m] * (l + m < K && j < N ? b[(l + m) * (i64)N + j] : 0.0f);
    __syncwarp();
  }
  if (j < N) y[j] = t;
}
// ==== copies_not_awaited: reduce/sum R = 16, C = 256
// Asynchronous copies to shared memory that nobody waits for.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[32];
  float t = 0;
  for (int c0 = 0; c0 < C; c0 += 32) {
    const int c = c0 + threadIdx.x;
    s[threadIdx.x] = 0;
    if (c < C) {
      const u32 to = (u32)__cvta_generic_to_shared(s + threadIdx.x);
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + blockIdx.x * (i64)C + c) : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
    __syncwarp();
    t += s[threadIdx.x];
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  t = wsum(t);
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
