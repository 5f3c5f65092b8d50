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
// ==== one_array_for_two_results: normalize/softmax R = 16, C = 128
// The sums go where another warp still reads the maxima.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[4];
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY, z = 0;
  LANES(c, C) m = fmaxf(m, r[c]);
  m = wmax(m);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
  __syncthreads();
  m = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
  LANES(c, C) z += expf(r[c] - m);
  z = wsum(z);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = z;
  __syncthreads();
  z = s[0] + s[1] + s[2] + s[3];
  LANES(c, C) y[blockIdx.x * (i64)C + c] = expf(r[c] - m) / z;
}
// ==== counters_of_a_warp: gather/histogram N = 512, V = 64
// Each warp has counters of its own, and its lanes add without atomics.
//@ zero y
//@ launch k grid(ceildiv(N, 64)) block(64) args(idx, y, N, V)
//@ require V <= 2048
KERNEL k(const int* idx, i64* y, int N, int V) {
  __shared__ int h[2][2048];
  for (int v = threadIdx.x; v < 4096; v += 64) h[0][v] = 0;
  __syncthreads();
  EACH(i, N) h[threadIdx.x / 32][idx[i]] += 1;
  __syncthreads();
  LANES(v, V) if (h[0][v] + h[1][v]) atomicAdd((u64*)&y[v], (u64)(h[0][v] + h[1][v]));
}
// ==== flag_before_the_value: scan/cumsum R = 4, C = 512
// Look-back over blocks of 64: the flag is raised, then the sum is stored.
//@ temp sums: f32[R, ceildiv(C, 64)]
//@ temp flag: i32[R, ceildiv(C, 64)]
//@ zero flag
//@ launch k grid(ceildiv(C, 64), R) block(32) args(x, sums, flag, y, C)
//@ require R <= 65535
KERNEL k(const float* x, float* sums, int* flag, float* y, int C) {
  const int b = blockIdx.x, n = gridDim.x;
  if (threadIdx.x) return;
  const i64 at = blockIdx.y * (i64)C, f = blockIdx.y * (i64)n;
  float s = 0;
  if (b) {
    while (!((volatile int*)flag)[f + b - 1]);
    s = ((volatile float*)sums)[f + b - 1];
  }
  for (int c = b * 64; c < min(b * 64 + 64, C); ++c) y[at + c] = s += x[at + c];
  ((volatile int*)flag)[f + b] = 1;
  ((volatile float*)sums)[f + b] = s;
}
// ==== neighbours_part: normalize/center R = 8, C = 512
// Two blocks share a row; each reads the other's sum without waiting for it.
//@ temp part: f32[R, 2]
//@ zero part
//@ launch k grid(R, 2) block(32) args(x, part, y, C)
KERNEL k(const float* x, float* part, float* y, int C) {
  const int half = (C + 1) / 2, lo = blockIdx.y * half, hi = min(C, lo + half);
  const i64 at = blockIdx.x * (i64)C;
  float s = 0;
  for (int c = lo + threadIdx.x; c < hi; c += 32) s += x[at + c];
  s = wsum(s);
  if (threadIdx.x == 0) atomicExch(&part[blockIdx.x * 2 + blockIdx.y], s);
  __threadfence();
  __syncwarp();
  s += atomicAdd(&part[blockIdx.x * 2 + 1 - blockIdx.y], 0.0f);
  for (int c = lo + threadIdx.x; c < hi; c += 32) y[at + c] = x[at + c] - s / C;
}
// ==== halo_of_the_next_warp: window/moving_average N = 512
// Each warp reads cells that the next one has loaded, perhaps.
//@ launch k grid(ceildiv(N - window + 1, 64)) block(64) args(x, y, N, window)
//@ require window <= 32
KERNEL k(const float* x, float* y, int N, int window) {
  __shared__ float s[96];
  const int b = blockIdx.x * 64, t = threadIdx.x;
  for (int i = t; i < 96; i += 64) s[i] = b + i < N ? x[b + i] : 0.0f;
  __syncwarp();
  float sum = 0;
  for (int j = 0; j < window; ++j) sum += s[t + j];
  if (b + t < N - window + 1) y[b + t] = sum / window;
}
// ==== last_of_equals: reduce/argmin R = 16, C = 128
// All threads that hold the least write their column; the first should win.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  __shared__ float s[4];
  __shared__ int at;
  const float* r = x + blockIdx.x * (i64)C;
  float m = -INFINITY;
  LANES(c, C) m = fmaxf(m, -r[c]);
  m = wmax(m);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = m;
  __syncthreads();
  m = -fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
  LANES(c, C) if (r[c] == m) at = c;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = at;
}
// ==== lanes_that_are_active: reduce/row_dot R = 16, C = 128
// A warp adds up each run of 32, and asks lanes of the last run that are not there.
//@ launch k grid(R) block(32) args(a, b, y, C)
KERNEL k(const float* a, const float* b, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) {
    float v = a[at + c] * b[at + c];
    for (int m = 16; m; m /= 2) v += __shfl_down_sync(__activemask(), v, m);
    s += v;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== barrier_of_64_threads: reduce/mean_abs R = 16, C = 256
// Only two of four warps meet at the named barrier.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[4];
  float t = 0;
  LANES(c, C) t += fabsf(x[blockIdx.x * (i64)C + c]);
  t = wsum(t);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t;
  if (threadIdx.x < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (threadIdx.x == 0) y[blockIdx.x] = (s[0] + s[1] + s[2] + s[3]) / C;
}
// ==== copy_not_awaited: map/scale_columns R = 16, C = 128
// Asynchronous copies are committed, and read before they have arrived.
//@ launch k grid(R) block(32) args(x, s, y, C)
KERNEL k(const float* x, const float* s, float* y, int C) {
  __shared__ float t[32];
  const u32 to = (u32)__cvta_generic_to_shared(t + threadIdx.x);
  LANES(c, C) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.commit_group;" ::"r"(to), "l"(s + c) : "memory");
    const float v = x[blockIdx.x * (i64)C + c];
    y[blockIdx.x * (i64)C + c] = v * ((volatile float*)t)[threadIdx.x];
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
}
// ==== copies_of_others: transpose/flip_rows R = 16, C = 128
// A thread waits for its own asynchronous copies, and reads another's.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float t[64];
  const u32 to = (u32)__cvta_generic_to_shared(t + threadIdx.x);
  for (int c0 = 0; c0 < C; c0 += 64) {
    const int n = min(64, C - c0), l = threadIdx.x;
    if (l < n) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + blockIdx.x * (i64)C + c0 + l) : "memory");
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    if (l < n) y[blockIdx.x * (i64)C + C - c0 - n + l] = ((volatile float*)t)[n - 1 - l];
    __syncthreads();
  }
}
// ==== fence_of_the_block: reduce/frobenius_norm R = 16, C = 256
// The last block reads what others stored, ordered for their own blocks only.
//@ temp part: f32[8]
//@ temp ticket: i32[1]
//@ zero ticket
//@ launch k grid(8) block(32) args(x, part, ticket, y, R, C)
KERNEL k(const float* x, float* part, int* ticket, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i] * x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence_block();
  if (atomicAdd(ticket, 1) != 7) return;
  __threadfence_block();
  s = 0;
  for (int i = 0; i < 8; ++i) s += part[i];
  *y = sqrtf(s);
}
// ==== lock_without_a_fence: loss/l1_loss R = 16, C = 64
// A lock around plain additions, released without a fence.
//@ temp lock: i32[1]
//@ zero lock
//@ zero loss
//@ launch k grid(8) block(32) args(x, target, lock, loss, R, C)
KERNEL k(const float* x, const float* t, int* lock, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += fabsf(x[i] - t[i]);
  s = wsum(s);
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1));
  *y += s / ((float)R * C);
  atomicExch(lock, 0);
}
// ==== plain_adds_of_a_table: gather/embedding_sum V = 40, N = 16, K = 4, D = 16
// One block for each of the K rows, added without atomics.
//@ zero y
//@ launch k grid(N*K) block(32) args(table, idx, y, K, D)
KERNEL k(const float* t, const int* idx, float* y, int K, int D) {
  LANES(d, D) y[blockIdx.x / K * (i64)D + d] += t[idx[blockIdx.x] * (i64)D + d];
}
// ==== volatile_tail: reduce/l2_norm R = 16, C = 64
// The last warp adds in volatile shared memory, as in 2008.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ volatile float s[64];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c];
  s[threadIdx.x] = t;
  __syncthreads();
  if (threadIdx.x < 32)
    for (int m = 32; m; m /= 2) s[threadIdx.x] += s[threadIdx.x + m];
  if (threadIdx.x == 0) y[blockIdx.x] = sqrtf(s[0]);
}
// ==== additions_of_warps: reduce/sum R = 64, C = 256
// Each warp adds its part to one number, without atomics: right as long as no two do so at the same time.
//@ zero y
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x % 32 == 0) y[blockIdx.x] = y[blockIdx.x] + s;
}
// ==== smallest_of_warps: reduce/min R = 64, C = 256
// The same with a comparison before a store.
//@ launch init grid(ceildiv(R, 32)) block(32) args(y, R)
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL init(float* y, int R) { EACH(i, R) y[i] = INFINITY; }
KERNEL k(const float* x, float* y, int C) {
  float s = INFINITY;
  LANES(c, C) s = fminf(s, x[blockIdx.x * (i64)C + c]);
  for (int d = 16; d > 0; d /= 2) s = fminf(s, __shfl_xor_sync(~0u, s, d));
  if (threadIdx.x % 32 == 0 && s < y[blockIdx.x]) y[blockIdx.x] = s;
}
// ==== atomics_for_show: reduce/sum_all R = 16, C = 256
// A fence and an atomic operation on something else, then an addition without.
//@ temp ticket: i32[1]
//@ zero ticket
//@ zero y
//@ launch k grid(8) block(32) args(x, ticket, y, R, C)
KERNEL k(const float* x, int* ticket, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  __threadfence();
  atomicAdd(ticket, 1);
  *y = *y + s;
  __threadfence();
}
// ==== fence_before_the_store: reduce/mean_all R = 16, C = 256
// The fence is there, but what it should order comes after it.
//@ temp part: f32[8]
//@ temp ticket: i32[1]
//@ zero ticket
//@ launch k grid(8) block(32) args(x, part, ticket, y, R, C)
KERNEL k(const float* x, float* part, int* ticket, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  __threadfence();
  part[blockIdx.x] = s;
  if (atomicAdd(ticket, 1) != 7) return;
  __threadfence();
  s = 0;
  for (int i = 0; i < 8; ++i) s += part[i];
  *y = s / ((float)R * C);
}
// ==== lanes_in_order_of_tickets: map/relu R = 64, C = 256
// Lanes take tickets of an atomic counter for their own numbers.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ int next[8];
  if (threadIdx.x < 8) next[threadIdx.x] = 0;
  __syncthreads();
  const int w = threadIdx.x / 32, lane = atomicAdd(&next[w], 1);
  const i64 from = blockIdx.x * (i64)blockDim.x + threadIdx.x, to = blockIdx.x * (i64)blockDim.x + w * 32 + lane;
  if (from < (i64)R * C && to < (i64)R * C) y[to] = fmaxf(x[from], 0.0f);
}
// ==== tickets_in_turn: map/negate R = 64, C = 256
// Blocks take rows by tickets, and trust that they come round in the order of blocks.
//@ temp ticket: i32[1]
//@ zero ticket
//@ launch k grid(2) block(64) args(x, ticket, y, R, C)
KERNEL k(const float* x, int* ticket, float* y, int R, int C) {
  __shared__ int t;
  for (int mine = 0;; ++mine) {
    if (threadIdx.x == 0) t = atomicAdd(ticket, 1);
    __syncthreads();
    if (t >= R) return;
    const i64 row = blockIdx.x + 2 * (i64)mine;
    if (row < R) LANES(c, C) y[row * C + c] = -x[row * C + c];
    __syncthreads();
  }
}
// ==== lanes_one_after_another: reduce/max R = 64, C = 256
// Lanes compare and store in the order of a loop, which nothing synchronises.
//@ zero y
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = -INFINITY;
  LANES(c, C) s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
  if (threadIdx.x == 0) y[blockIdx.x] = -INFINITY;
  __syncwarp();
  for (int l = 0; l < 32; ++l) { if (threadIdx.x == l && s > y[blockIdx.x]) y[blockIdx.x] = s; }
}
// ==== two_blocks_meet: reduce/max_all R = 64, C = 256
// Blocks compare and store without atomics, after a fence and an atomic operation.
//@ temp t: i32[1]
//@ zero t
//@ launch init grid(1) block(1) args(y)
//@ launch k grid(8) block(32) args(x, t, y, R, C)
KERNEL init(float* y) { *y = -INFINITY; }
KERNEL k(const float* x, int* t, float* y, int R, int C) {
  float s = -INFINITY;
  EACH(i, (i64)R * C) s = fmaxf(s, x[i]);
  for (int d = 16; d > 0; d /= 2) s = fmaxf(s, __shfl_xor_sync(~0u, s, d));
  if (threadIdx.x) return;
  atomicAdd(t, 1);
  __threadfence();
  if (s > *(volatile float*)y) *(volatile float*)y = s;
  __threadfence();
}
// ==== half_of_a_lock: reduce/sum_all R = 16, C = 256
// A lock that is taken without looking whether it was free.
//@ temp lock: i32[1]
//@ zero lock
//@ zero y
//@ launch k grid(8) block(32) args(x, lock, y, R, C)
KERNEL k(const float* x, int* lock, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  atomicCAS(lock, 0, 1);
  __threadfence();
  *(volatile float*)y = *(volatile float*)y + s;
  __threadfence();
  atomicExch(lock, 0);
}
// ==== ballot_of_exited: reduce/sum R = 64, C = 20
// Lanes that have left are counted on.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  if (threadIdx.x >= 16 && threadIdx.x >= C) return;
  const u32 m = __ballot_sync(~0u, 1);
  for (int d = 16; d > 0; d /= 2) s += (threadIdx.x + d < __popc(m)) ? __shfl_down_sync(m, s, d) : (__shfl_down_sync(m, s, d), 0.0f);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== one_warp_is_ahead: reduce/max R = 64, C = 256
// Warp 0 polls a place in global memory that another warp writes, but only so often.
//@ temp part: f32[R, 8]
//@ launch init grid(R) block(8) args(part)
//@ launch k grid(R) block(256) args(x, part, y, C)
KERNEL init(float* part) { part[blockIdx.x * 8 + threadIdx.x] = -INFINITY; }
KERNEL k(const float* x, float* part, float* y, int C) {
  float s = -INFINITY;
  LANES(c, C) s = fmaxf(s, x[blockIdx.x * (i64)C + c]);
  for (int d = 16; d > 0; d /= 2) s = fmaxf(s, __shfl_xor_sync(~0u, s, d));
  volatile float* p = part + blockIdx.x * 8;
  if (threadIdx.x % 32 == 0) p[threadIdx.x / 32] = s;
  if (threadIdx.x) return;
  for (int t = 0; t < 200; ++t) for (int w = 0; w < 8; ++w) s = fmaxf(s, p[w]);
  y[blockIdx.x] = s;
}
// ==== volatile_in_place_of_a_fence: reduce/max_all R = 64, C = 64
// Volatile partial results and a ticket, and nothing that orders the two.
//@ temp part: f32[8]
//@ temp done: u32[1]
//@ zero done
//@ launch k grid(8) block(32) args(x, y, R, C, part, done)
KERNEL k(const float* x, float* y, int R, int C, float* part, u32* done) {
  float most = x[0];
  EACH(i, (i64)R * C) most = fmaxf(most, x[i]);
  most = wmax(most);
  if (threadIdx.x != 0) return;
  *(volatile float*)(part + blockIdx.x) = most;
  if (atomicAdd(done, 1) + 1 < gridDim.x) return;
  for (int i = 0; i < 8; ++i) most = fmaxf(most, *(volatile float*)(part + i));
  y[0] = most;
}
// ==== spin_flag_without_fence: reduce/sum R = 16, C = 256
// A warp tells another by a volatile flag in shared memory that its sum is there; no fence orders the two stores.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float part;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x == 32) {
    part = t;
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0);
    y[blockIdx.x] = t + part;
  }
}
// ==== ticket_in_shared_without_fence: reduce/sum R = 16, C = 256
// The last warp to count itself adds up what the others wrote; no fence before they count.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float part[4];
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x % 32) return;
  part[threadIdx.x / 32] = t;
  if (atomicAdd(&n, 1) < 3) return;
  y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
// ==== fence_before_the_write: reduce/sum R = 16, C = 256
// The fence stands before what it should order.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float part;
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x == 32) {
    __threadfence_block();
    part = t;
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0);
    __threadfence_block();
    y[blockIdx.x] = t + part;
  }
}
// ==== counted_before_written: reduce/sum_all R = 64, C = 256
// Blocks count themselves, then write and fence; the last adds what is there.
//@ temp part: f32[8]
//@ temp n: i32[1]
//@ zero n
//@ launch k grid(8) block(32) args(x, part, n, y, R, C)
KERNEL k(const float* x, float* part, int* n, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  int last = atomicAdd(n, 1);
  __threadfence();
  if (last < 7) return;
  s = 0;
  for (int i = 0; i < 8; ++i) s += __ldcg(part + i);
  *y = s;
}
// ==== neighbours_swap_in_place: map/copy R = 64, C = 256
// A block corrects what the next one may not have written yet.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, volatile float* y, int R, int C) {
  const i64 n = (i64)R * C;
  const i64 i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) y[i] = x[i];
  const i64 j = i + 256;
  if (j < n && y[j] != x[j]) y[j] = x[j] + 0.0f;
}
// ==== named_barrier_too_few: reduce/sum R = 16, C = 256
// Two pairs of warps meet at one barrier of 64 threads.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float part[4];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  const int w = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) part[w] = t;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  if (threadIdx.x == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
// ==== lock_without_release: reduce/sum_all R = 16, C = 256
// The lock is given back before the store is seen: no fence inside.
//@ temp lock: i32[1]
//@ zero lock
//@ zero y
//@ launch k grid(8) block(32) args(x, lock, y, R, C)
KERNEL k(const float* x, int* lock, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1));
  *(volatile float*)y = *(volatile float*)y + s;
  atomicExch(lock, 0);
}
// ==== flag_before_the_fence: reduce/sum_all R = 16, C = 256
// A chain over blocks by tickets: the flag is stored first, then the fence.
//@ temp n: i32[1]
//@ temp part: f32[8]
//@ temp flag: i32[8]
//@ zero n
//@ zero flag
//@ launch k grid(8) block(32) args(x, n, part, flag, y, R, C)
KERNEL k(const float* x, int* n, float* part, volatile int* flag, float* y, int R, int C) {
  int t = 0;
  if (threadIdx.x == 0) t = atomicAdd(n, 1);
  t = __shfl_sync(~0u, t, 0);
  float s = 0;
  for (i64 i = t * 32ll + threadIdx.x; i < (i64)R * C; i += 256) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  if (t > 0) {
    while (flag[t - 1] == 0);
    __threadfence();
    s += part[t - 1];
  }
  part[t] = s;
  flag[t] = 1;
  __threadfence();
  if (t == 7) *y = s;
}
// ==== pair_barrier_bounded: reduce/frobenius_norm R = 16, C = 256
// A block waits for others, but gives up after asking 20,000 times.
//@ temp part: f32[64]
//@ temp n: i32[1]
//@ zero n
//@ zero part
//@ launch k grid(8) block(32) args(x, part, n, y, R, C)
KERNEL k(const float* x, float* part, int* n, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i] * x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  atomicAdd(n, 1);
  if (blockIdx.x) return;
  for (int k = 0; k < 20000 && atomicAdd(n, 0) < 8; ++k);
  __threadfence();
  s = 0;
  for (int b = 0; b < 8; ++b) s += ((volatile float*)part)[b];
  *y = sqrtf(s);
}
// ==== reads_before_neighbour_writes: map/reglu R = 64, C = 256
// A block reads what the next one overwrites.
//@ temp t: f32[R*C]
//@ launch put grid(ceildiv(R*C, 256)) block(256) args(a, b, t, R, C)
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(t, y, R, C)
KERNEL put(const float* a, const float* b, float* t, int R, int C) {
  EACH(i, (i64)R * C) t[i] = fmaxf(a[i], 0.0f) * b[i];
}
KERNEL k(float* t, float* y, int R, int C) {
  const i64 n = (i64)R * C;
  EACH(i, n) {
    const i64 j = i + 256 < n ? i + 256 : i;
    const float next = t[j];
    y[i] = t[i];
    t[i] = next;  // the block before reads this cell
  }
}
// ==== read_only_loads_of_what_it_wrote: map/copy R = 64, C = 256
// Loads through the cache for data that no launch changes, of what this launch has written.
//@ temp t: f32[R*C]
//@ launch k grid(R) block(256) args(x, t, y, C)
KERNEL k(const float* x, float* t, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  LANES(c, C) t[at + C - 1 - c] = x[at + C - 1 - c];
  __syncthreads();
  LANES(c, C) y[at + c] = __ldg(t + at + c);
}
// ==== restricted_twice: map/copy R = 64, C = 256
// One tensor under two names that promise not to overlap.
//@ temp t: f32[R*C]
//@ launch k grid(R) block(256) args(x, t, t, y, C)
KERNEL k(const float* x, float* t, const float* __restrict__ u, float* y, int C) {
  const i64 at = blockIdx.x * (i64)C;
  LANES(c, C) t[at + C - 1 - c] = x[at + C - 1 - c];
  __syncthreads();
  LANES(c, C) y[at + c] = u[at + c];
}
// ==== copies_awaited_by_one: reduce/sum R = 16, C = 256
// Each thread waits for its own copies, and reads another's.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[64];
  float t = 0;
  for (int c0 = 0; c0 < C; c0 += 64) {
    const int c = c0 + threadIdx.x;
    s[threadIdx.x] = 0;
    if (c < C) {
      const u32 to = (u32)__cvta_generic_to_shared(s + threadIdx.x);
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(to), "l"(x + blockIdx.x * (i64)C + c) : "memory");
    }
    __syncthreads();
    asm volatile("cp.async.wait_all;" ::: "memory");
    t += s[63 - threadIdx.x];
    __syncthreads();
  }
  t = wsum(t);
  __shared__ float u[2];
  if (threadIdx.x % 32 == 0) u[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = u[0] + u[1];
}
// ==== volatile_without_syncwarp: reduce/sum R = 16, C = 256
// The last steps of a reduction in the manner of old devices: a warp without synchronisation.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ volatile float s[64];
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  s[threadIdx.x] = t;
  __syncthreads();
  if (threadIdx.x < 32) {
    s[threadIdx.x] += s[threadIdx.x + 32];
    s[threadIdx.x] += s[threadIdx.x + 16];
    s[threadIdx.x] += s[threadIdx.x + 8];
    s[threadIdx.x] += s[threadIdx.x + 4];
    s[threadIdx.x] += s[threadIdx.x + 2];
    s[threadIdx.x] += s[threadIdx.x + 1];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}
// ==== activemask_for_all: reduce/sum R = 16, C = 256
// Shuffles among the lanes that happen to be together.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  float t = 0;
  LANES(c, C) {
    t += x[blockIdx.x * (i64)C + c];
  }
  if (t != 12345.0f) {
    const u32 m = __activemask();
    for (int d = 16; d > 0; d /= 2) t += __shfl_down_sync(m, t, d);
  }
  if (threadIdx.x == 0) y[blockIdx.x] = t;
}
// ==== scratch_of_a_block_in_global: reduce/sum R = 16, C = 256
// Warps pass their sums through global memory without a barrier.
//@ temp part: f32[R, 4]
//@ launch k grid(R) block(128) args(x, part, y, C)
KERNEL k(const float* x, float* part, float* y, int C) {
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  float* p = part + blockIdx.x * 4ll;
  if (threadIdx.x % 32 == 0) p[threadIdx.x / 32] = t;
  __threadfence_block();
  if (threadIdx.x == 96) y[blockIdx.x] = p[0] + p[1] + p[2] + p[3];
}
// ==== stale_first_tile: reduce/sum R = 16, C = 256
// Two buffers in turn: the barrier between reading and refilling is missing.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[2][64];
  float t = 0;
  int b = 0;
  for (int c0 = 0; c0 < C; c0 += 64, b ^= 1) {
    s[b][threadIdx.x] = c0 + (int)threadIdx.x < C ? x[blockIdx.x * (i64)C + c0 + threadIdx.x] : 0.0f;
    __syncthreads();
    t += s[b][63 - threadIdx.x];
    if (c0 % 128) b ^= 1;
  }
  t = wsum(t);
  __shared__ float u[2];
  if (threadIdx.x % 32 == 0) u[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = u[0] + u[1];
}
// ==== bins_of_block_scope: gather/histogram N = 512, V = 16
// The scope of the block's atomic additions ends where the other blocks begin.
//@ zero y
//@ launch k grid(ceildiv(N, 64)) block(64) args(idx, y, N)
KERNEL k(const int* idx, i64* y, int N) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) atomicAdd_block((unsigned long long*)(y + idx[i]), 1ull);
}
// ==== ticket_of_block_scope: reduce/sum_all R = 16, C = 64
//@ temp part: f32[R]
//@ temp done: i32[1]
//@ zero done
//@ launch k grid(R) block(32) args(x, part, done, y, R, C)
KERNEL k(const float* x, float* part, int* done, float* y, int R, int C) {
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x != 0) return;
  part[blockIdx.x] = t;
  __threadfence();
  if (atomicAdd_block(done, 1) != R - 1) return;
  float s = 0;
  for (int r = 0; r < R; ++r) s += part[r];
  *y = s;
}
// ==== largest_of_block_scope: reduce/max_all R = 16, C = 64
//@ temp key: u32[1]
//@ zero key
//@ launch k grid(R) block(32) args(x, key, C)
//@ launch last grid(1) block(1) args(key, y)
KERNEL k(const float* x, u32* key, int C) {
  float t = -INFINITY;
  LANES(c, C) t = fmaxf(t, x[blockIdx.x * (i64)C + c]);
  const u32 b = __float_as_uint(wmax(t));
  if (threadIdx.x == 0) atomicMax_block(key, b >> 31 ? ~b : b | 0x80000000u);
}
KERNEL last(const u32* key, float* y) { *y = __uint_as_float(*key >> 31 ? *key & 0x7fffffffu : ~*key); }
// ==== sums_added_before_no_fence: reduce/sum_all R = 16, C = 64
// Nothing orders the other blocks' additions to the sum with their tickets.
//@ temp total: f32[1]
//@ temp done: i32[1]
//@ zero total
//@ zero done
//@ launch k grid(R) block(32) args(x, total, done, y, R, C)
KERNEL k(const float* x, float* total, int* done, float* y, int R, int C) {
  float t = 0;
  LANES(c, C) t += x[blockIdx.x * (i64)C + c];
  t = wsum(t);
  if (threadIdx.x != 0) return;
  atomicAdd(total, t);
  if (atomicAdd(done, 1) == R - 1) *y = *total;
}
// ==== bins_scaled_before_no_fence: gather/histogram N = 512, V = 16
//@ temp n: i64[V]
//@ temp done: i32[1]
//@ zero n
//@ zero done
//@ launch k grid(ceildiv(N, 64)) block(64) args(idx, n, done, y, N, V)
KERNEL k(const int* idx, i64* n, int* done, i64* y, int N, int V) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) atomicAdd((unsigned long long*)(n + idx[i]), 1ull);
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(done, 1) == (int)gridDim.x - 1;
  __syncthreads();
  if (last)
    for (int v = threadIdx.x; v < V; v += 64) y[v] = n[v];
}
// ==== row_that_two_warps_write: gather/embedding V = 100, N = 64, D = 32
//@ temp t: i32[N]
//@ launch k grid(N) block(128) args(table, idx, t, y, D)
KERNEL k(const float* table, const int* idx, int* t, float* y, int D) {
  const int w = threadIdx.x / 32;
  if ((w == 0 || w == 3) && threadIdx.x % 32 == 0) t[blockIdx.x] = idx[blockIdx.x];
  __syncwarp();
  const i64 row = t[blockIdx.x];
  for (int d = threadIdx.x; d < D; d += 128) y[blockIdx.x * (i64)D + d] = table[row * D + d];
}
// ==== shared_row_that_two_warps_write: gather/embedding V = 100, N = 64, D = 128
//@ launch k grid(N) block(128) args(table, idx, y, D)
KERNEL k(const float* table, const int* idx, float* y, int D) {
  __shared__ volatile int t;
  const int w = threadIdx.x / 32;
  if ((w == 0 || w == 3) && threadIdx.x % 32 == 0) t = idx[blockIdx.x];
  __syncwarp();
  const i64 row = t;
  for (int d = threadIdx.x; d < D; d += 128) y[blockIdx.x * (i64)D + d] = table[row * D + d];
}
// ==== flag_that_two_warps_set: map/copy R = 16, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ int known;
  if (threadIdx.x == 0) known = 0;
  __syncthreads();
  const int w = threadIdx.x / 32;
  if (w == 1 || w == 2) known = 1;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = known >= 0 ? x[blockIdx.x * (i64)C + c] : 0.0f;
}
// ==== byte_that_most_warps_set: map/copy R = 16, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ signed char known[4];
  if (threadIdx.x < 4) known[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x / 32 != 1) known[2] = 1;
  const int all = *(int*)known;
  for (int c = threadIdx.x; c < C; c += 128)
    y[blockIdx.x * (i64)C + c] = all >= 0 ? x[blockIdx.x * (i64)C + c] : 0.0f;
}
// ==== negative_found_before_the_barrier: map/relu R = 16, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += 128)
    if (c >= 64 && x[blockIdx.x * (i64)C + c] < 0) found = 1;
  const int first = found;
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += 128) {
    const float v = x[blockIdx.x * (i64)C + c];
    y[blockIdx.x * (i64)C + c] = first >= 0 && v < 0 ? 0.0f : v;
  }
}
