// SPDX-License-Identifier: Apache-2.0
// Products, windows, transposes, attention, as careful people write them.
// ==== matmul_naive: contract/matmul M = 32, N = 32, K = 32
//+ mm
MATMUL(a[i * (i64)K + l], b[l * (i64)N + j], fmaf(p, q, s))
// ==== matmul_split_k: contract/matmul M = 32, N = 32, K = 32
//@ launch clear grid(ceildiv(M*N, 128)) block(128) args(y, M, N)
//@ launch k grid(ceildiv(M*N, 128), 4) block(128) args(a, b, y, M, N, K)
KERNEL clear(float* y, int M, int N) { EACH(i, (i64)M * N) y[i] = 0; }
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const i64 i = blockIdx.x * 128ll + threadIdx.x;
  if (i >= (i64)M * N) return;
  float s = 0;
  for (int l = blockIdx.y; l < K; l += 4) s = fmaf(a[i / N * K + l], b[l * (i64)N + i % N], s);
  atomicAdd(&y[i], s);
}
// ==== matmul_persistent: contract/matmul M = 32, N = 32, K = 32
// Six blocks take tiles by an atomic counter.
//@ temp next: i32[1]
//@ launch init grid(1) block(1) args(next)
//@ launch k grid(6) block(16, 16) args(a, b, y, next, M, N, K)
KERNEL init(int* next) { *next = 0; }
KERNEL k(const float* a, const float* b, float* y, int* next, int M, int N, int K) {
  __shared__ float p[16][17], q[16][17];
  __shared__ int tile;
  const int tx = threadIdx.x, ty = threadIdx.y, across = (N + 15) / 16, tiles = across * ((M + 15) / 16);
  for (;;) {
    __syncthreads();
    if (tx == 0 && ty == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    if (tile >= tiles) return;
    const int i = tile / across * 16 + ty, j = tile % across * 16 + tx;
    float s = 0;
    for (int l = 0; l < K; l += 16) {
      p[ty][tx] = i < M && l + tx < K ? a[i * (i64)K + l + tx] : 0.0f;
      q[ty][tx] = j < N && l + ty < K ? b[(l + ty) * (i64)N + j] : 0.0f;
      __syncthreads();
      for (int m = 0; m < 16; ++m) s = fmaf(p[ty][m], q[m][tx], s);
      __syncthreads();
    }
    if (i < M && j < N) y[i * (i64)N + j] = s;
  }
}
// ==== matvec_warp: contract/matvec M = 64, K = 128
//@ launch k grid(M) block(32) args(a, x, y, K)
KERNEL k(const float* a, const float* x, float* y, int K) {
  float s = 0;
  LANES(c, K) s = fmaf(a[blockIdx.x * (i64)K + c], x[c], s);
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== dot_atomics: contract/dot N = 4096
//@ launch init grid(1) block(1) args(y)
//@ launch k grid(8) block(128) args(a, b, y, N)
KERNEL init(float* y) { *y = 0; }
KERNEL k(const float* a, const float* b, float* y, int N) {
  float s = 0;
  EACH(i, N) s = fmaf(a[i], b[i], s);
  s = wsum(s);
  if (threadIdx.x % 32 == 0) atomicAdd(y, s);
}
// ==== outer_threads: contract/outer M = 64, N = 64
//@ launch k grid(ceildiv(M*N, 256)) block(256) args(a, b, y, M, N)
KERNEL k(const float* a, const float* b, float* y, int M, int N) { EACH(i, (i64)M * N) y[i] = a[i / N] * b[i % N]; }
// ==== linear_relu_fused: contract/linear_relu M = 16, N = 32, K = 32
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(x, w, bias, y, M, N, K)
KERNEL k(const float* x, const float* w, const float* bias, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = bias[i % N];
    for (int l = 0; l < K; ++l) s = fmaf(x[i / N * K + l], w[i % N * K + l], s);
    y[i] = fmaxf(s, 0.0f);
  }
}
// ==== attention_online: attention/attention B = 1, H = 2, S = 8, T = 8, E = 8
//@ temp o: f32[B, H, S, E]
//@ launch k grid(B*H*S) block(1) args(q, k, v, o, y, S, T, E)
KERNEL k(const float* q, const float* kk, const float* v, float* o, float* y, int S, int T, int E) {
  const int bh = blockIdx.x / S;
  const i64 at = (i64)blockIdx.x * E;
  float m = -INFINITY, z = 0;
  for (int e = 0; e < E; ++e) o[at + e] = 0;
  for (int j = 0; j < T; ++j) {
    float s = 0;
    for (int e = 0; e < E; ++e) s += q[at + e] * kk[(bh * (i64)T + j) * E + e];
    s /= sqrtf((float)E);
    const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
    z = z * f + p;
    for (int e = 0; e < E; ++e) o[at + e] = o[at + e] * f + p * v[(bh * (i64)T + j) * E + e];
    m = n;
  }
  for (int e = 0; e < E; ++e) y[at + e] = o[at + e] / z;
}
// ==== transpose_tile: transpose/transpose R = 64, C = 96
//@ launch k grid(ceildiv(C, 32), ceildiv(R, 32)) block(32, 8) args(x, y, R, C)
//@ require R <= 2097120
KERNEL k(const float* x, float* y, int R, int C) {
  __shared__ float s[32][33];
  const int r0 = blockIdx.y * 32, c0 = blockIdx.x * 32, l = threadIdx.x;
  for (int i = threadIdx.y; i < 32; i += 8) if (r0 + i < R && c0 + l < C) s[i][l] = x[(r0 + i) * (i64)C + c0 + l];
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) if (c0 + i < C && r0 + l < R) y[(c0 + i) * (i64)R + r0 + l] = s[l][i];
}
// ==== permute_direct: transpose/permute_120 A = 8, B = 8, C = 8
//@ launch k grid(ceildiv(A*B*C, 256)) block(256) args(x, y, A, B, C)
KERNEL k(const float* x, float* y, int A, int B, int C) { EACH(i, (i64)A * B * C) y[i] = x[(i % A * B + i / A / C) * C + i / A % C]; }
// ==== max_pool_general: window/max_pool1d N = 1, C = 4, L = 64
//@ launch k grid(ceildiv(N*C*((L + 2*padding - kernel)/stride + 1), 128)) block(128) args(x, y, N, C, L, ((L + 2*padding - kernel)/stride + 1), kernel, stride, padding)
KERNEL k(const float* x, float* y, int N, int C, int L, int O, int kernel, int stride, int padding) {
  EACH(i, (i64)N * C * O) {
    float s = -INFINITY;
    for (int j = 0; j < kernel; ++j) {
      const int at = (int)(i % O) * stride + j - padding;
      if (at >= 0 && at < L) s = fmaxf(s, x[i / O * L + at]);
    }
    y[i] = s;
  }
}
// ==== conv1d_general: window/conv1d N = 1, C = 4, L = 32, K = 4
//@ launch k grid(ceildiv(N*K*((L + 2*padding - dilation*(KL - 1) - 1)/stride + 1), 128)) block(128) args(x, w, y, N, C, L, K, KL, ((L + 2*padding - dilation*(KL - 1) - 1)/stride + 1), stride, padding, dilation)
KERNEL k(const float* x, const float* w, float* y, int N, int C, int L, int K, int KL, int O, int stride, int padding, int dilation) {
  EACH(i, (i64)N * K * O) {
    const int o = i % O, k = i / O % K, n = i / O / K;
    float s = 0;
    for (int c = 0; c < C; ++c)
      for (int j = 0; j < KL; ++j) {
        const int at = o * stride + j * dilation - padding;
        if (at >= 0 && at < L) s = fmaf(x[(n * C + c) * (i64)L + at], w[(k * C + c) * KL + j], s);
      }
    y[i] = s;
  }
}
// ==== wmma_with_tails: matmul_half.op M = 32, N = 32, K = 32
// Tensor cores at any shape: the tiles pass through shared memory, padded with zeros.
//@ launch mm grid(ceildiv(N, 16), ceildiv(M, 16)) block(32) args(a, b, y, M, N, K)
//@ require M <= 1000000
#include <mma.h>
using namespace nvcuda;
KERNEL mm(const __half* a, const __half* b, float* y, int M, int N, int K) {
  __shared__ __align__(32) __half p[256], q[256];
  __shared__ __align__(32) float r[256];
  const int i0 = blockIdx.y * 16, j0 = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int l = 0; l < K; l += 16) {
    LANES(t, 256) {
      const int u = t / 16, v = t % 16;
      p[t] = i0 + u < M && l + v < K ? a[(i0 + u) * (i64)K + l + v] : __float2half(0.0f);
      q[t] = l + u < K && j0 + v < N ? b[(l + u) * (i64)N + j0 + v] : __float2half(0.0f);
    }
    __syncwarp();
    wmma::load_matrix_sync(fa, p, 16);
    wmma::load_matrix_sync(fb, q, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
  }
  wmma::store_matrix_sync(r, fc, 16, wmma::mem_row_major);
  __syncwarp();
  LANES(t, 256) if (i0 + t / 16 < M && j0 + t % 16 < N) y[(i0 + t / 16) * (i64)N + j0 + t % 16] = r[t];
}
// ==== mma_by_hand: matmul_half.op M = 32, N = 32, K = 32
// mma.sync m16n8k16 with fragments loaded one element at a time.
//@ launch mm grid(ceildiv(N, 8), ceildiv(M, 16)) block(32) args(a, b, y, M, N, K)
//@ require M <= 1000000
#include <cuda_fp16.h>
KERNEL mm(const __half* a, const __half* b, float* y, int M, int N, int K) {
  const int g = threadIdx.x / 4, t = threadIdx.x % 4, i0 = blockIdx.y * 16, j0 = blockIdx.x * 8;
  const __half zero = __float2half(0.0f);
  const auto at_a = [&](int i, int l) { return i < M && l < K ? a[i * (i64)K + l] : zero; };
  const auto at_b = [&](int l, int j) { return l < K && j < N ? b[l * (i64)N + j] : zero; };
  const auto pair = [](__half lo, __half hi) { return (u32)__half_as_ushort(lo) | (u32)__half_as_ushort(hi) << 16; };
  float c[4] = {};
  for (int l = 0; l < K; l += 16) {
    u32 fa[4], fb[2];
    for (int n = 0; n < 4; ++n) {
      const int i = i0 + g + n % 2 * 8, k = l + t * 2 + n / 2 * 8;
      fa[n] = pair(at_a(i, k), at_a(i, k + 1));
    }
    for (int n = 0; n < 2; ++n) fb[n] = pair(at_b(l + t * 2 + n * 8, j0 + g), at_b(l + t * 2 + n * 8 + 1, j0 + g));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  }
  for (int n = 0; n < 4; ++n) {
    const int i = i0 + g + n / 2 * 8, j = j0 + t * 2 + n % 2;
    if (i < M && j < N) y[i * (i64)N + j] = c[n];
  }
}
// ==== registers_two_by_two: contract/gemm_full M = 32, N = 32, K = 32
// Four results a thread, tiles of 32 by 32 in shared memory.
//@ launch k grid(ceildiv(N, 32), ceildiv(M, 32)) block(16, 16) args(a, b, c, y, M, N, K, alpha, beta)
//@ require M <= 2000000
KERNEL k(const float* a, const float* b, const float* c, float* y, int M, int N, int K, float alpha, float beta) {
  __shared__ float p[32][17], q[16][33];
  const int tx = threadIdx.x, ty = threadIdx.y, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
  float s[2][2] = {};
  for (int l = 0; l < K; l += 16) {
    for (int h = 0; h < 2; ++h) {
      const int i = i0 + ty + 16 * h, j = j0 + tx + 16 * h;
      p[ty + 16 * h][tx] = i < M && l + tx < K ? a[i * (i64)K + l + tx] : 0.0f;
      q[ty][tx + 16 * h] = j < N && l + ty < K ? b[(l + ty) * (i64)N + j] : 0.0f;
    }
    __syncthreads();
    for (int m = 0; m < 16; ++m)
      for (int h = 0; h < 2; ++h)
        for (int g = 0; g < 2; ++g) s[h][g] = fmaf(p[ty + 16 * h][m], q[m][tx + 16 * g], s[h][g]);
    __syncthreads();
  }
  for (int h = 0; h < 2; ++h)
    for (int g = 0; g < 2; ++g) {
      const int i = i0 + ty + 16 * h, j = j0 + tx + 16 * g;
      if (i < M && j < N) y[i * (i64)N + j] = alpha * s[h][g] + beta * c[i * (i64)N + j];
    }
}
// ==== split_k_onto_the_bias: contract/matmul_bias M = 16, N = 32, K = 64
// The first launch stores the bias, the others' parts are added to it by atomics.
//@ launch first grid(ceildiv(M*N, 128)) block(128) args(bias, y, M, N)
//@ launch k grid(ceildiv(M*N, 128), 8) block(128) args(a, b, y, M, N, K)
KERNEL first(const float* bias, float* y, int M, int N) { EACH(i, (i64)M * N) y[i] = bias[i % N]; }
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const i64 i = blockIdx.x * 128ll + threadIdx.x;
  const int n = (K + 7) / 8, lo = min(K, (int)blockIdx.y * n), hi = min(K, lo + n);
  if (i >= (i64)M * N || lo >= hi) return;
  float s = 0;
  for (int l = lo; l < hi; ++l) s = fmaf(a[i / N * K + l], b[l * (i64)N + i % N], s);
  atomicAdd(&y[i], s);
}
// ==== split_k_in_a_temporary: contract/vecmat K = 128, N = 64
//@ temp part: f32[8, N]
//@ launch k grid(ceildiv(N, 64), 8) block(64) args(x, b, part, K, N)
//@ launch out grid(ceildiv(N, 64)) block(64) args(part, y, N)
KERNEL k(const float* x, const float* b, float* part, int K, int N) {
  const int j = blockIdx.x * 64 + threadIdx.x, n = (K + 7) / 8, lo = min(K, (int)blockIdx.y * n), hi = min(K, lo + n);
  if (j >= N) return;
  float s = 0;
  for (int l = lo; l < hi; ++l) s = fmaf(x[l], b[l * (i64)N + j], s);
  part[blockIdx.y * (i64)N + j] = s;
}
KERNEL out(const float* part, float* y, int N) {
  EACH(j, N) {
    float s = 0;
    for (int i = 0; i < 8; ++i) s += part[i * (i64)N + j];
    y[j] = s;
  }
}
// ==== rows_of_both: contract/matmul_bt M = 16, N = 16, K = 64
// A warp for each result, four elements a load where rows allow it.
//@ launch k grid(ceildiv(M*N, 4)) block(32, 4) args(a, b, y, M, N, K)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const i64 i = blockIdx.x * 4ll + threadIdx.y;
  if (i >= (i64)M * N) return;
  const float *p = a + i / N * K, *q = b + i % N * K;
  const int n = K % 4 == 0 ? K / 4 : 0;
  float s = 0;
  LANES(l, n) {
    const float4 u = ((const float4*)p)[l], v = ((const float4*)q)[l];
    s += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int l = 4 * n + threadIdx.x; l < K; l += 32) s = fmaf(p[l], q[l], s);
  s = wsum(s);
  if (threadIdx.x == 0) y[i] = s;
}
// ==== swiglu_fused: contract/swiglu M = 8, N = 16, K = 32
//@ launch k grid(ceildiv(M*N, 4)) block(32, 4) args(x, gate, up, y, M, N, K)
KERNEL k(const float* x, const float* gate, const float* up, float* y, int M, int N, int K) {
  const i64 i = blockIdx.x * 4ll + threadIdx.y;
  if (i >= (i64)M * N) return;
  float g = 0, u = 0;
  LANES(l, K) {
    const float v = x[i / N * K + l];
    g = fmaf(v, gate[i % N * K + l], g), u = fmaf(v, up[i % N * K + l], u);
  }
  g = wsum(g), u = wsum(u);
  if (threadIdx.x == 0) y[i] = g / (1 + expf(-g)) * u;
}
// ==== linear_then_gelu: contract/linear_gelu M = 8, N = 16, K = 32
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(x, w, bias, y, M, N, K)
KERNEL k(const float* x, const float* w, const float* bias, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = bias[i % N];
    for (int l = 0; l < K; ++l) s = fmaf(x[i / N * K + l], w[i % N * K + l], s);
    y[i] = 0.5f * s * (1 + erff(s * 0.70710678f));
  }
}
// ==== batches_in_the_grid: contract/batched_matmul B = 2, M = 8, N = 8, K = 8
//@ launch k grid(ceildiv(M*N, 64), B) block(64) args(a, b, y, M, N, K)
//@ require B <= 65535
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const float *p = a + blockIdx.y * (i64)M * K, *q = b + blockIdx.y * (i64)K * N;
  EACH(i, (i64)M * N) {
    float s = 0;
    for (int l = 0; l < K; ++l) s = fmaf(p[i / N * K + l], q[l * (i64)N + i % N], s);
    y[blockIdx.y * (i64)M * N + i] = s;
  }
}
// ==== gram_half: contract/gram M = 24, K = 32
// The upper half is computed and stored twice.
//@ launch k grid(ceildiv(M*M, 128)) block(128) args(a, y, M, K)
KERNEL k(const float* a, float* y, int M, int K) {
  EACH(t, (i64)M * M) {
    const i64 i = t / M, j = t % M;
    if (j < i) continue;
    float s = 0;
    for (int l = 0; l < K; ++l) s = fmaf(a[i * K + l], a[j * K + l], s);
    y[i * M + j] = y[j * M + i] = s;
  }
}
// ==== triangle_short: contract/upper_triangular_matmul N = 32
//@ launch k grid(ceildiv(N*N, 128)) block(128) args(a, b, y, N)
KERNEL k(const float* a, const float* b, float* y, int N) {
  EACH(t, (i64)N * N) {
    const int i = t / N, j = t % N;
    float s = 0;
    for (int l = i; l <= j; ++l) s = fmaf(a[i * (i64)N + l], b[l * (i64)N + j], s);
    y[t] = s;
  }
}
// ==== distances_by_difference: contract/squared_distances M = 16, N = 16, K = 32
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, b, y, M, N, K)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = 0;
    for (int l = 0; l < K; ++l) {
      const float d = a[i / N * K + l] - b[i % N * K + l];
      s = fmaf(d, d, s);
    }
    y[i] = s;
  }
}
// ==== cosines_with_norms_first: contract/cosine_matrix M = 16, N = 16, K = 32
// Norms in temporaries, then one product.
//@ temp u: f32[M]
//@ temp v: f32[N]
//@ launch norms grid(M) block(32) args(a, u, K, eps)
//@ launch norms grid(N) block(32) args(b, v, K, eps)
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, b, u, v, y, M, N, K)
KERNEL norms(const float* x, float* n, int K, float eps) {
  float s = 0;
  LANES(l, K) s += x[blockIdx.x * (i64)K + l] * x[blockIdx.x * (i64)K + l];
  s = wsum(s);
  if (threadIdx.x == 0) n[blockIdx.x] = fmaxf(sqrtf(s), eps);
}
KERNEL k(const float* a, const float* b, const float* u, const float* v, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float s = 0;
    for (int l = 0; l < K; ++l) s = fmaf(a[i / N * K + l], b[i % N * K + l], s);
    y[i] = s / (u[i / N] * v[i % N]);
  }
}
// ==== kronecker_indices: contract/kronecker M = 4, N = 4, P = 8, Q = 8
//@ launch k grid(ceildiv(M*P*N*Q, 128)) block(128) args(a, b, y, M, N, P, Q)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int P, int Q) {
  EACH(t, (i64)M * P * N * Q) {
    const i64 i = t / ((i64)N * Q), j = t % ((i64)N * Q);
    y[t] = a[i / P * N + j / Q] * b[i % P * Q + j % Q];
  }
}
// ==== bilinear_rows: contract/bilinear_form M = 32, N = 32
//@ zero z
//@ launch k grid(M) block(32) args(x, a, y, z, N)
KERNEL k(const float* x, const float* a, const float* y, float* z, int N) {
  float s = 0;
  LANES(j, N) s += x[blockIdx.x] * a[blockIdx.x * (i64)N + j] * y[j];
  s = wsum(s);
  if (threadIdx.x == 0) atomicAdd(z, s);
}
// ==== update_of_rank_one: contract/rank_one_update M = 32, N = 32
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, x, y, z, M, N, alpha)
KERNEL k(const float* a, const float* x, const float* y, float* z, int M, int N, float alpha) { EACH(i, (i64)M * N) z[i] = fmaf(alpha * x[i / N], y[i % N], a[i]); }
// ==== distances_by_a_product: contract/squared_distances M = 32, N = 32, K = 24
//@ launch k grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
__device__ inline float not_below(float v) { return v < 0 ? 0.0f : v; }  // keeps NaN
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float aa = 0, bb = 0, ab = 0;
  for (int l = 0; l < K; ++l) {
    const float p = a[i * (i64)K + l], q = b[j * (i64)K + l];
    aa = fmaf(p, p, aa), bb = fmaf(q, q, bb), ab = fmaf(p, q, ab);
  }
  y[i * (i64)N + j] = not_below(aa + bb - 2 * ab);
}
// ==== root_of_distances_by_a_product: contract/euclidean_distances M = 32, N = 32, K = 24
//@ launch k grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
__device__ inline float not_below(float v) { return v < 0 ? 0.0f : v; }  // keeps NaN
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  if (i >= M || j >= N) return;
  float aa = 0, bb = 0, ab = 0;
  for (int l = 0; l < K; ++l) {
    const float p = a[i * (i64)K + l], q = b[j * (i64)K + l];
    aa = fmaf(p, p, aa), bb = fmaf(q, q, bb), ab = fmaf(p, q, ab);
  }
  y[i * (i64)N + j] = sqrtf(not_below(aa - 2 * ab + bb));
}
// ==== linear_onto_bias_by_fours: contract/linear M = 16, N = 32, K = 64
//@ launch k grid(ceildiv(M*N, 64)) block(64) args(x, w, bias, y, M, N, K)
KERNEL k(const float* x, const float* w, const float* bias, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    const float *p = x + i / N * K, *q = w + i % N * K;
    float s = bias[i % N];
    int l = 0;
    if (K % 4 == 0)
      for (; l < K; l += 4) {
        const float4 u = *(const float4*)(p + l), v = *(const float4*)(q + l);
        s = fmaf(u.x, v.x, s), s = fmaf(u.y, v.y, s), s = fmaf(u.z, v.z, s), s = fmaf(u.w, v.w, s);
      }
    for (; l < K; ++l) s = fmaf(p[l], q[l], s);
    y[i] = s;
  }
}
// ==== gemm_onto_beta_c: contract/gemm_full M = 32, N = 32, K = 32
//@ launch k grid(ceildiv(M*N, 64)) block(64) args(a, b, c, y, M, N, K, alpha, beta)
KERNEL k(const float* a, const float* b, const float* c, float* y, int M, int N, int K, float alpha, float beta) {
  EACH(i, (i64)M * N) {
    float s = beta * c[i];
    for (int l = 0; l < K; ++l) s = fmaf(alpha * a[i / N * K + l], b[l * (i64)N + i % N], s);
    y[i] = s;
  }
}
// ==== distances_expanded: contract/squared_distances M = 16, N = 16, K = 32
// |a|^2 + |b|^2 - 2 a.b loses digits where a and b are close and far from zero; usual precision says how many.
//@ launch k grid(ceildiv(M*N, 128)) block(128) args(a, b, y, M, N, K)
KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {
  EACH(i, (i64)M * N) {
    float p = 0, q = 0, d = 0;
    for (int l = 0; l < K; ++l) {
      const float u = a[i / N * K + l], v = b[i % N * K + l];
      p = fmaf(u, u, p), q = fmaf(v, v, q), d = fmaf(u, v, d);
    }
    y[i] = p + q - 2 * d;
  }
}
