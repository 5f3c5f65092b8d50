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
