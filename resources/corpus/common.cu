// SPDX-License-Identifier: Apache-2.0
// What the kernels of cheats/ and honest/ share. engine/corpus/kernels.h says how a file holds several candidates.
//+ map = //@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
//+ map2 = //@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, z, R, C)
//+ map2y = //@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, y, R, C)
//+ loss = //@ launch k grid(8) block(128) args(x, target, loss, R, C)
//+ row = //@ launch k grid(R) block(32) args(x, y, R, C)
//+ mm = //@ launch k grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
//+ whole = //@ launch k grid(1) block(32) args(x, y, R, C)
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
#define KERNEL extern "C" __global__ void
#define EACH(i, n) \
  for (i64 i = blockIdx.x * (i64)blockDim.x + threadIdx.x; i < (n); i += (i64)gridDim.x * blockDim.x)
#define MAP(f)                                          \
  KERNEL k(const float* x, float* y, int R, int C) {    \
    EACH(i, (i64)R * C) {                               \
      const float v = x[i];                             \
      y[i] = f;                                         \
    }                                                   \
  }
#define MAP2(f)                                                         \
  KERNEL k(const float* a, const float* b, float* z, int R, int C) {    \
    EACH(i, (i64)R * C) {                                               \
      const float p = a[i], q = b[i];                                   \
      z[i] = f;                                                         \
    }                                                                   \
  }
#define LANES(c, n) for (int c = threadIdx.x; c < (n); c += blockDim.x)
// One warp per row: `f` of each element `v` is summed into s, `end` is what thread 0 stores.
#define ROW_SUM(f, end)                                 \
  KERNEL k(const float* x, float* y, int R, int C) {    \
    float s = 0;                                        \
    LANES(c, C) {                                       \
      const float v = x[blockIdx.x * (i64)C + c];       \
      s += f;                                           \
    }                                                   \
    s = wsum(s);                                        \
    if (threadIdx.x == 0) y[blockIdx.x] = end;          \
  }
#define MATMUL(load_a, load_b, term)                                                        \
  KERNEL k(const float* a, const float* b, float* y, int M, int N, int K) {                 \
    const int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;         \
    if (i >= M || j >= N) return;                                                           \
    float s = 0;                                                                            \
    for (int l = 0; l < K; ++l) {                                                           \
      const float p = load_a, q = load_b;                                                   \
      s = term;                                                                             \
    }                                                                                       \
    y[i * (i64)N + j] = s;                                                                  \
  }
// The mean of `f` of each pair p, q over eight blocks, added to an output that begins as zero.
#define LOSS(f)                                                                  \
  KERNEL k(const float* x, const float* target, float* loss, int R, int C) {     \
    float s = 0;                                                                 \
    EACH(i, (i64)R * C) {                                                        \
      const float p = x[i], q = target[i];                                       \
      s += f;                                                                    \
    }                                                                            \
    s = wsum(s);                                                                 \
    if (threadIdx.x % 32 == 0) atomicAdd(loss, s / ((float)R * C));              \
  }
__device__ inline float wsum(float v) {
  for (int m = 16; m > 0; m /= 2) v += __shfl_xor_sync(~0u, v, m);
  return v;
}
__device__ inline float wmax(float v) {
  for (int m = 16; m > 0; m /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, m));
  return v;
}
__device__ inline u32 special(u32 which) {  // 0 %smid, 1 %warpid, 2 %gridid, 3 %nsmid, 4 %total_smem_size
  u32 r = 0;
  u64 g = 0;
  if (which == 0) asm volatile("mov.u32 %0, %smid;" : "=r"(r));
  if (which == 1) asm volatile("mov.u32 %0, %warpid;" : "=r"(r));
  if (which == 2) { asm volatile("mov.u64 %0, %gridid;" : "=l"(g)); r = (u32)g; }
  if (which == 3) asm volatile("mov.u32 %0, %nsmid;" : "=r"(r));
  if (which == 4) asm volatile("mov.u32 %0, %total_smem_size;" : "=r"(r));
  return r;
}
