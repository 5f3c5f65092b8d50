// SPDX-License-Identifier: Apache-2.0
// Right in the order in which a simple machine runs warps, lanes and blocks.
// ==== warp_reads_before_barrier: reduce/sum R = 16, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[4];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t;
  if (threadIdx.x == 127) y[blockIdx.x] = s[0] + s[1] + s[2] + t - (t - s[3]);
}
// ==== shift_left_in_place: map/copy R = 16, C = 256
// Warps read the next warp's cells, which may be overwritten already.
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[257];
  for (int c0 = 0; c0 < C; c0 += 256) {
    const int c = c0 + threadIdx.x;
    s[threadIdx.x + 1] = c < C ? x[blockIdx.x * (i64)C + c] : 0.0f;
    __syncthreads();
    const float v = s[threadIdx.x + 1];
    s[threadIdx.x] = v;  // races with the warp below, which still reads this cell
    __syncthreads();
    if (c < C) y[blockIdx.x * (i64)C + c] = s[threadIdx.x];
    __syncthreads();
  }
}
// ==== no_syncwarp_transpose: transpose/transpose R = 32, C = 64
//@ launch k grid(ceildiv(C, 32), ceildiv(R, 32)) block(32) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ float s[32][33];
  const int l = threadIdx.x, r0 = blockIdx.y * 32, c0 = blockIdx.x * 32;
  for (int i = 0; i < 32; ++i) if (r0 + i < R && c0 + l < C) s[i][l] = x[(r0 + i) * (i64)C + c0 + l];
  for (int i = 0; i < 32; ++i) if (c0 + i < C && r0 + l < R) y[(c0 + i) * (i64)R + r0 + l] = s[l][i];
}
// ==== plain_max_of_blocks: reduce/max_all R = 16, C = 256
//@ launch init grid(1) block(1) args(x, y)
//@ launch k grid(8) block(32) args(x, y, R, C)
KERNEL init(const float* x, float* y) { y[0] = x[0]; }
KERNEL k(const float* x, float* y, int R, int C) {
  float s = x[0];
  EACH(i, (i64)R * C) s = fmaxf(s, x[i]);
  s = wmax(s);
  if (threadIdx.x == 0 && s > *(volatile float*)y) *y = s;
}
// ==== plain_add_of_blocks: reduce/sum_all R = 16, C = 256
//@ launch init grid(1) block(1) args(y)
//@ launch k grid(8) block(32) args(x, y, R, C)
KERNEL init(float* y) { y[0] = 0; }
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x == 0) *(volatile float*)y = *(volatile float*)y + s;
}
// ==== plain_count_of_warps: gather/histogram N = 512, V = 64
// Each warp counts alone with atomics, then adds without.
//@ launch clear grid(ceildiv(V, 256)) block(256) args(y, V)
//@ launch k grid(ceildiv(N, 32)) block(1) args(idx, y, N)
KERNEL clear(i64* y, int V) { EACH(i, V) y[i] = 0; }
KERNEL k(const int* idx, i64* y, int N) {
  for (int i = blockIdx.x * 32; i < min(N, (int)blockIdx.x * 32 + 32); ++i) ++((volatile i64*)y)[idx[i]];
}
// ==== ticket_without_atomics: reduce/mean_all R = 16, C = 256
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
  ((volatile float*)part)[blockIdx.x] = s;
  __threadfence();
  const int n = *(volatile int*)ticket;
  *(volatile int*)ticket = n + 1;
  if (n != 7) return;
  s = 0;
  for (int i = 0; i < 8; ++i) s += ((volatile float*)part)[i];
  y[0] = s / ((float)R * C);
}
// ==== last_block_without_fence: reduce/l1_norm_all R = 16, C = 256
//@ temp part: f32[8]
//@ temp ticket: i32[1]
//@ launch init grid(1) block(1) args(ticket)
//@ launch k grid(8) block(32) args(x, part, ticket, y, R, C)
KERNEL init(int* ticket) { *ticket = 0; }
KERNEL k(const float* x, float* part, int* ticket, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += fabsf(x[i]);
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  if (atomicAdd(ticket, 1) != 7) return;
  s = 0;
  for (int i = 0; i < 8; ++i) s += part[i];
  y[0] = s;
}
// ==== shuffle_of_exited_lanes: reduce/sum R = 16, C = 20
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  if (threadIdx.x >= C) return;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== neighbour_block_first: reduce/column_sum R = 16, C = 64
// Block 0 clears what the others add to.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  LANES(c, C) {
    if (blockIdx.x == 0) y[c] = x[c];
    else atomicAdd(&y[c], x[blockIdx.x * (i64)C + c]);
  }
}
// ==== last_block_first: reduce/column_max R = 16, C = 64
//@ launch k grid(R) block(64) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  LANES(c, C) {
    const float v = x[blockIdx.x * (i64)C + c];
    if (blockIdx.x == 0) y[c] = v;
    else if (v > ((volatile float*)y)[c]) y[c] = v;
  }
}
// ==== warp_scan_in_shared: scan/cumsum R = 16, C = 32
// Hillis and Steele in shared memory without __syncwarp: every lane must have read before any writes.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[32];
  float carry = 0;
  for (int c0 = 0; c0 < C; c0 += 32) {
    const int l = threadIdx.x, c = c0 + l;
    s[l] = c < C ? x[blockIdx.x * (i64)C + c] : 0.0f;
    for (int d = 1; d < 32; d *= 2) {
      const float t = l >= d ? ((volatile float*)s)[l - d] : 0.0f;
      ((volatile float*)s)[l] = s[l] + t;
    }
    if (c < C) y[blockIdx.x * (i64)C + c] = carry + s[l];
    carry += ((volatile float*)s)[31];
  }
}
// ==== tile_overwritten: contract/matmul M = 32, N = 32, K = 32
// Only the barrier after loading, none before the next load.
//+ mm
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float p[16][16], q[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, i = blockIdx.y * 16 + ty, j = blockIdx.x * 16 + tx;
  float s = 0;
  for (int l = 0; l < K; l += 16) {
    if (l) for (int m = 0; m < 16; ++m) s += p[ty][m] * q[m][tx];
    p[ty][tx] = i < M && l + tx < K ? a[i * (i64)K + l + tx] : 0.0f;
    q[ty][tx] = j < N && l + ty < K ? b[(l + ty) * (i64)N + j] : 0.0f;
    __syncthreads();
  }
  for (int m = 0; m < 16; ++m) s += p[ty][m] * q[m][tx];
  if (i < M && j < N) y[i * (i64)N + j] = s;
}
// ==== result_before_barrier: normalize/l2_normalize R = 16, C = 128
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[2];
  const float* r = x + blockIdx.x * (i64)C;
  float t = 0;
  LANES(c, C) t += r[c] * r[c];
  t = wsum(t);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t;
  __syncwarp();
  const float n = fmaxf(sqrtf(((volatile float*)s)[0] + ((volatile float*)s)[1]), 1e-12f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] / n;
}
