// SPDX-License-Identifier: Apache-2.0
// Features of the machine, used with care: asynchronous copies, votes, named barriers, locks, parts of warps.
// ==== two_stages: contract/matvec M = 32, K = 256
// The next 128 elements of x arrive while these are multiplied.
//@ launch k grid(M) block(128) args(a, x, y, K)
KERNEL k(const float* a, const float* x, float* y, int K) {
  __shared__ float t[2][128], part[4];
  const float* r = a + blockIdx.x * (i64)K;
  const int l = threadIdx.x;
  const auto fill = [&](int stage, int at) {
    const u32 to = (u32)__cvta_generic_to_shared(&t[stage][l]);
    if (at + l < K) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(x + at + l) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float s = 0;
  fill(0, 0);
  for (int at = 0, stage = 0; at < K; at += 128, stage ^= 1) {
    fill(stage ^ 1, at + 128);
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    const int n = min(128, K - at), from = n - 1 - l;  // a cell that another thread has copied
    if (l < n) s = fmaf(r[at + from], t[stage][from], s);
    __syncthreads();
  }
  s = wsum(s);
  if (l % 32 == 0) part[l / 32] = s;
  __syncthreads();
  if (l == 0) y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
// ==== reduced_by_the_warp: reduce/nonzero_count R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, i64* y, int C) {
  u32 n = 0;
  LANES(c, C) n += x[blockIdx.x * (i64)C + c] != 0;
  n = __reduce_add_sync(~0u, n);
  if (threadIdx.x == 0) y[blockIdx.x] = n;
}
// ==== half_warps: reduce/row_dot R = 64, C = 64
// Two rows a warp, 16 lanes each.
//@ launch k grid(ceildiv(R, 2)) block(32) args(a, b, y, R, C)
KERNEL k(const float* a, const float* b, float* y, int R, int C) {
  const int r = blockIdx.x * 2 + threadIdx.x / 16, l = threadIdx.x % 16;
  float s = 0;
  if (r < R)
    for (int c = l; c < C; c += 16) s = fmaf(a[r * (i64)C + c], b[r * (i64)C + c], s);
  for (int m = 8; m; m /= 2) s += __shfl_xor_sync(~0u, s, m, 16);
  if (l == 0 && r < R) y[r] = s;
}
// ==== lanes_that_stay: reduce/sum_squares R = 64, C = 64
// Lanes without an element leave; the others name themselves and no one else.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const int n = min(C, 32);
  const u32 here = n == 32 ? ~0u : (1u << n) - 1;
  if ((int)threadIdx.x >= n) return;
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c];
  for (int m = 16; m; m /= 2) {
    const float t = __shfl_down_sync(here, s, m);
    if ((int)threadIdx.x + m < n) s += t;
  }
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== named_barrier: reduce/mean_abs R = 64, C = 256
// All four warps arrive; one waits for them.
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[4];
  float t = 0;
  LANES(c, C) t += fabsf(x[blockIdx.x * (i64)C + c]);
  t = wsum(t);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = t;
  if (threadIdx.x >= 32) {
    asm volatile("bar.arrive 1, 128;" ::: "memory");
    return;
  }
  asm volatile("bar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) y[blockIdx.x] = (s[0] + s[1] + s[2] + s[3]) / C;
}
// ==== lock_with_fences: loss/l1_loss R = 16, C = 64
//@ temp lock: i32[1]
//@ zero lock
//@ zero loss
//@ launch k grid(8) block(32) args(x, target, lock, loss, R, C)
KERNEL k(const float* x, const float* t, int* lock, float* loss, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += fabsf(x[i] - t[i]);
  s = wsum(s);
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1));
  __threadfence();
  *(volatile float*)loss = *(volatile float*)loss + s / ((float)R * C);
  __threadfence();
  atomicExch(lock, 0);
}
// ==== silu_fast_exp: map/silu R = 64, C = 256
//+ map
MAP(v * __frcp_rn(1 + __expf(-v)))
// ==== sigmoid_gradient: map/sigmoid_backward R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(y, dy, dx, R, C)
MAP2(q * p * (1 - p))
// ==== gelu_tanh_by_exp: map/gelu_tanh R = 64, C = 256
// 0.5 (1 + tanh(u)) is the sigmoid of 2 u.
//+ map
MAP(v / (1 + expf(-2 * 0.7978845608f * (v + 0.044715f * v * v * v))))
// ==== ldmatrix_tiles: matmul_half.op M = 32, N = 32, K = 32
// Fragments of a by ldmatrix out of padded tiles.
//@ launch mm grid(ceildiv(N, 8), ceildiv(M, 16)) block(32) args(a, b, y, M, N, K)
//@ require M <= 1000000
#include <cuda_fp16.h>
KERNEL mm(const __half* a, const __half* b, float* y, int M, int N, int K) {
  __shared__ __align__(16) __half p[16][24], q[16][8];
  const int lane = threadIdx.x, i0 = blockIdx.y * 16, j0 = blockIdx.x * 8;
  const __half zero = __float2half(0.0f);
  float c[4] = {};
  for (int l = 0; l < K; l += 16) {
    LANES(t, 256) p[t / 16][t % 16] = i0 + t / 16 < M && l + t % 16 < K ? a[(i0 + t / 16) * (i64)K + l + t % 16] : zero;
    LANES(t, 128) q[t / 8][t % 8] = l + t / 8 < K && j0 + t % 8 < N ? b[(l + t / 8) * (i64)N + j0 + t % 8] : zero;
    __syncwarp();
    u32 fa[4], fb[2];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                 : "r"((u32)__cvta_generic_to_shared(&p[lane % 16][lane / 16 * 8])) : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(fb[0]), "=r"(fb[1]) : "r"((u32)__cvta_generic_to_shared(&q[lane % 16][0])) : "memory");
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
    __syncwarp();
  }
  for (int n = 0; n < 4; ++n) {
    const int i = i0 + lane / 4 + n / 2 * 8, j = j0 + lane % 4 * 2 + n % 2;
    if (i < M && j < N) y[i * (i64)N + j] = c[n];
  }
}
// ==== spin_flag_with_fences: reduce/sum R = 16, C = 256
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
    __threadfence_block();
    flag = 1;
  }
  if (threadIdx.x == 0) {
    while (flag == 0);
    __threadfence_block();
    y[blockIdx.x] = t + part;
  }
}
// ==== ticket_in_shared: reduce/sum R = 16, C = 256
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
  __threadfence_block();
  if (atomicAdd(&n, 1) < 3) return;
  __threadfence_block();
  y[blockIdx.x] = part[0] + part[1] + part[2] + part[3];
}
// ==== chain_of_tickets: reduce/sum_all R = 16, C = 256
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
  __threadfence();
  flag[t] = 1;
  if (t == 7) *y = s;
}
// ==== acquire_release_chain: reduce/sum_all R = 16, C = 256
//@ temp n: i32[1]
//@ temp part: f32[8]
//@ temp flag: i32[8]
//@ zero n
//@ zero flag
//@ launch k grid(8) block(32) args(x, n, part, flag, y, R, C)
KERNEL k(const float* x, int* n, float* part, int* flag, float* y, int R, int C) {
  int t = 0;
  if (threadIdx.x == 0) t = atomicAdd(n, 1);
  t = __shfl_sync(~0u, t, 0);
  float s = 0;
  for (i64 i = t * 32ll + threadIdx.x; i < (i64)R * C; i += 256) s += x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  if (t > 0) {
    int f = 0;
    do asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(f) : "l"(flag + t - 1) : "memory");
    while (f == 0);
    s += part[t - 1];
  }
  part[t] = s;
  asm volatile("st.release.gpu.global.s32 [%0], %1;" :: "l"(flag + t), "r"(1) : "memory");
  if (t == 7) *y = s;
}
// ==== last_block_by_inc: reduce/sum_all R = 16, C = 256
//@ temp part: f32[8]
//@ temp n: i32[1]
//@ zero n
//@ launch k grid(8) block(64) args(x, part, n, y, R, C)
KERNEL k(const float* x, volatile float* part, u32* n, float* y, int R, int C) {
  __shared__ float s[64];
  __shared__ bool last;
  float t = 0;
  EACH(i, (i64)R * C) t += x[i];
  s[threadIdx.x] = t;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(n, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  t = 0;
  for (u32 i = 0; i < gridDim.x; ++i) t += part[i];
  *y = t;
}
// ==== bins_of_own_block: gather/histogram N = 512, V = 16
// Atomic operations of the block's scope on what no other block touches; a second launch adds the parts.
//@ temp part: i64[ceildiv(N, 64), V]
//@ zero part
//@ launch k grid(ceildiv(N, 64)) block(64) args(idx, part, N, V)
//@ launch total grid(ceildiv(V, 64)) block(64) args(part, y, ceildiv(N, 64), V)
KERNEL k(const int* idx, i64* part, int N, int V) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i < N) atomicAdd_block((unsigned long long*)(part + blockIdx.x * (i64)V + idx[i]), 1ull);
}
KERNEL total(const i64* part, i64* y, int parts, int V) {
  const int v = blockIdx.x * 64 + threadIdx.x;
  if (v >= V) return;
  i64 n = 0;
  for (int p = 0; p < parts; ++p) n += part[p * (i64)V + v];
  y[v] = n;
}
// ==== sums_added_then_fence: reduce/sum_all R = 16, C = 64
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
  __threadfence();
  if (atomicAdd(done, 1) != R - 1) return;
  __threadfence();
  *y = *total;
  *total = 0;
  *done = 0;
}
// ==== bins_read_then_fence: gather/histogram N = 512, V = 16
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
  if (threadIdx.x == 0) {
    __threadfence();
    last = atomicAdd(done, 1) == (int)gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last)
    for (int v = threadIdx.x; v < V; v += 64) y[v] = n[v];
}
// ==== negative_found_by_any_thread: map/relu R = 16, C = 256
//@ launch k grid(R) block(128) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ int found;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += 128)
    if (x[blockIdx.x * (i64)C + c] < 0) found = 1;
  __syncthreads();
  for (int c = threadIdx.x; c < C; c += 128) {
    const float v = x[blockIdx.x * (i64)C + c];
    y[blockIdx.x * (i64)C + c] = found && v < 0 ? 0.0f : v;
  }
}
