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
