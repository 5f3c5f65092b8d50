// SPDX-License-Identifier: Apache-2.0
// Kernels whose memory traffic, bank conflicts and instructions are known or easy to reason about, written for comparing counters.
// n = W * W words of 4 bytes; every kernel guards its bounds. The launches are in counters_bench.cpp.
#include <cuda_fp16.h>

#define INDEX (blockIdx.x * (long long)blockDim.x + threadIdx.x)

extern "C" __global__ void copy(const float* a, float* out, int n) {
  long long i = INDEX;
  if (i < n) out[i] = a[i];
}

extern "C" __global__ void copy_vectors(const float4* a, float4* out, int n4) {
  long long i = INDEX;
  if (i < n4) out[i] = a[i];
}

// Each thread reads a word 32 bytes from its neighbour's: one sector a thread.
extern "C" __global__ void strided(const float* a, float* out, int n) {
  long long i = INDEX;
  if (i < n) out[i] = a[(i * 8) % n];
}

extern "C" __global__ void gather(const float* a, const int* index, float* out, int n) {
  long long i = INDEX;
  if (i < n) out[i] = a[index[i]];
}

// Rows are read whole, columns are written one word at a time.
extern "C" __global__ void transpose_naive(const float* a, float* out, int w) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < w && y < w) out[(long long)x * w + y] = a[(long long)y * w + x];
}

extern "C" __global__ void transpose_tiled(const float* a, float* out, int w) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < w) tile[threadIdx.y + k][threadIdx.x] = a[(long long)(y + k) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (x < w && y + k < w) out[(long long)(y + k) * w + x] = tile[threadIdx.x][threadIdx.y + k];
}

// Reads of shared memory in which WAYS threads of a warp share a bank, with different words.
template <int WAYS>
__device__ void shared_reads(const float* a, float* out, int n) {
  __shared__ float s[1024];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k] = a[k];
  __syncthreads();
  float sum = 0;
  int at = threadIdx.x % 32 * WAYS;
  for (int k = 0; k < 64; ++k) {
    sum += s[at];
    at = (at + 1) % 1024;
  }
  long long i = INDEX;
  if (i < n) out[i] = sum;
}
extern "C" __global__ void shared_free(const float* a, float* out, int n) { shared_reads<1>(a, out, n); }
extern "C" __global__ void shared_2way(const float* a, float* out, int n) { shared_reads<2>(a, out, n); }
extern "C" __global__ void shared_8way(const float* a, float* out, int n) { shared_reads<8>(a, out, n); }
extern "C" __global__ void shared_32way(const float* a, float* out, int n) { shared_reads<32>(a, out, n); }

// Every thread of a warp goes round another number of times.
extern "C" __global__ void divergent(const float* a, float* out, int n) {
  long long i = INDEX;
  if (i >= n) return;
  float x = a[i];
  for (int k = 0; k < threadIdx.x % 32; ++k) x = x * 1.0001f + 0.5f;
  out[i] = x;
}

extern "C" __global__ void atomic_same(unsigned* count, int n) {
  if (INDEX < n) atomicAdd(count, threadIdx.x + 1);
}

extern "C" __global__ void atomic_spread(const int* index, unsigned* count, int n, int places) {
  long long i = INDEX;
  if (i < n) atomicAdd(&count[(unsigned)index[i] % places], 1u);
}

extern "C" __global__ void reduce_warp(const float* a, float* out, int n) {
  long long i = INDEX;
  float x = i < n ? a[i] : 0;
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = x;
}

extern "C" __global__ void reduce_block(const float* a, float* out, int n) {
  __shared__ float s[256];
  long long i = INDEX;
  s[threadIdx.x] = i < n ? a[i] : 0;
  for (int d = 128; d > 0; d /= 2) {
    __syncthreads();
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

extern "C" __global__ void matmul_naive(const float* a, const float* b, float* out, int m) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r >= m || c >= m) return;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += a[(long long)r * m + k] * b[(long long)k * m + c];
  out[(long long)r * m + c] = sum;
}

extern "C" __global__ void matmul_tiled(const float* a, const float* b, float* out, int m) {
  __shared__ float ta[32][32], tb[32][32];
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  float sum = 0;
  for (int k = 0; k < m; k += 32) {
    ta[threadIdx.y][threadIdx.x] = a[(long long)r * m + k + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(long long)(k + threadIdx.y) * m + c];
    __syncthreads();
    for (int j = 0; j < 32; ++j) sum += ta[threadIdx.y][j] * tb[j][threadIdx.x];
    __syncthreads();
  }
  out[(long long)r * m + c] = sum;
}

// One warp makes a tile of 16 x 8 of out = a * b^T in f16 with sums in f32 (PTX ISA, mma.m16n8k16: the layout of the fragments).
extern "C" __global__ void matmul_tensor(const unsigned* a, const unsigned* b, float* out, int m) {
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32, group = lane / 4, pair = lane % 4;
  int r = blockIdx.y * 16, c = (blockIdx.x * (blockDim.x / 32) + warp) * 8, words = m / 2;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int k = 0; k < words; k += 8) {
    const unsigned* p = a + (long long)(r + group) * words + k + pair;
    const unsigned* q = b + (long long)(c + group) * words + k + pair;
    unsigned a0 = p[0], a1 = p[8LL * words], a2 = p[4], a3 = p[8LL * words + 4], b0 = q[0], b1 = q[4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  }
  float* o = out + (long long)(r + group) * m + c + 2 * pair;
  o[0] = d0;
  o[1] = d1;
  o[8LL * m] = d2;
  o[8LL * m + 1] = d3;
}

extern "C" __global__ void stencil(const float* a, float* out, int w) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1) return;
  long long i = (long long)y * w + x;
  out[i] = 0.2f * (a[i] + a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
}

extern "C" __global__ void histogram(const int* index, unsigned* count, int n) {
  __shared__ unsigned s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = INDEX; i < n; i += (long long)gridDim.x * blockDim.x) atomicAdd(&s[index[i] & 255], 1u);
  __syncthreads();
  atomicAdd(&count[threadIdx.x], s[threadIdx.x]);
}

extern "C" __global__ void half_pairs(const __half2* a, __half2* out, int n) {
  long long i = INDEX;
  if (i < n) out[i] = __hfma2(a[i], __float2half2_rn(2.0f), __float2half2_rn(0.5f));
}
