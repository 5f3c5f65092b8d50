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
