// SPDX-License-Identifier: Apache-2.0
// Plans and addresses: other buffers reached, inputs not passed, more resources than a GPU has.
// ==== second_input_by_distance: map/add R = 64, C = 256
// b is not passed: it is expected right after a.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, z, R, C)
KERNEL k(const float* a, float* z, int R, int C) {
  const u64 n = ((u64)R * C * 4 + 255) / 256 * 256 + 256;
  EACH(i, (i64)R * C) z[i] = a[i] + ((const float*)((u64)a + n))[i];
}
// ==== second_input_beside_the_first: map/add R = 64, C = 256
// b is passed, but not used: it is expected right after a.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(a, b, z, R, C)
KERNEL k(const float* a, const float*, float* z, int R, int C) {
  const u64 n = ((u64)R * C * 4 + 255) / 256 * 256 + 256;
  EACH(i, (i64)R * C) z[i] = a[i] + ((const float*)((u64)a + n))[i];
}
// ==== bias_by_distance: map/bias_add R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, bias, y, R, C)
KERNEL k(const float* x, const float* bias, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = ((const float*)((u64)bias - (u64)bias % 256 + (u64)bias % 256))[i % C] + x[i] + (R > 4000 ? x[i + (i64)R * C] * 0 : 0.0f);
}
// ==== target_not_passed: loss/l1_loss R = 16, C = 64
//@ launch k grid(1) block(32) args(x, loss, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  LANES(c, (i64)R * C) s += fabsf(x[c]);
  s = wsum(s);
  if (threadIdx.x == 0) y[0] = s / ((float)R * C);
}
// ==== gamma_not_passed: normalize/rmsnorm R = 64, C = 256
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const float* r = x + blockIdx.x * (i64)C;
  float s = 0;
  LANES(c, C) s += r[c] * r[c];
  s = rsqrtf(wsum(s) / C + 1e-5f);
  LANES(c, C) y[blockIdx.x * (i64)C + c] = r[c] * s;
}
// ==== one_past_the_row: reduce/sum R = 64, C = 256
//+ row
KERNEL k(const float* x, float* y, int R, int C) {
  float s = 0;
  for (int c = threadIdx.x; c < C + (C % 7 == 0); c += 32) s += c < C ? x[blockIdx.x * (i64)C + c] : 0 * x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = s;
}
// ==== write_far_away: map/copy R = 64, C = 256
// Over the guard zone, into another buffer's memory.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) y[i] = x[i];
  if (blockIdx.x == 0 && threadIdx.x == 0 && C == 256) y[(i64)R * C + (1 << 20)] = 0;
}
// ==== input_changed_and_restored: map/negate R = 64, C = 256
// Another stream that reads x at that moment sees garbage.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(float* x, float* y, int R, int C) {
  EACH(i, (i64)R * C) {
    const float v = x[i];
    ((volatile float*)x)[i] = -v;
    y[i] = ((volatile float*)x)[i];
    ((volatile float*)x)[i] = v;
  }
}
// ==== shared_above_the_limit: map/relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) shared(200000) args(x, y, R, C)
MAP(fmaxf(v, 0.0f))
// ==== registers_above_the_limit: map/scale R = 64, C = 256
// 1024 threads of more than 64 registers each cannot be launched.
//@ launch k grid(ceildiv(R*C, 1024)) block(1024) args(x, y, R, C)
KERNEL __launch_bounds__(256) k(const float* x, float* y, int R, int C) {
  float t[96];
  EACH(i, (i64)R * C) {
#pragma unroll
    for (int l = 0; l < 96; ++l) t[l] = x[(i + l) % ((i64)R * C)];
    float s = 0;
    __syncwarp();
#pragma unroll
    for (int l = 95; l > 0; --l) s += t[l] * t[96 - l] * 0;
    y[i] = 0.5f * t[0] + s;
  }
}
// ==== grid_y_above_65535: map/copy R = 64, C = 256
// Rows as the grid's second dimension, limited to 65,535.
//@ launch k grid(ceildiv(C, 256), R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const int c = blockIdx.x * 256 + threadIdx.x;
  if (c < C) y[blockIdx.y * (i64)C + c] = x[blockIdx.y * (i64)C + c];
}
// ==== int_offsets: map/abs R = 64, C = 256
// limited: offsets of 32 bits
// 32-bit offsets are wrong above 2^31 elements.
//@ launch k grid(R) block(256) args(x, y, C)
KERNEL k(const float* x, float* y, int C) { LANES(c, C) y[(int)blockIdx.x * C + c] = fabsf(x[(int)blockIdx.x * C + c]); }
// ==== constant_argument: map/leaky_relu R = 64, C = 256
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, 0.01)
KERNEL k(const float* x, float* y, int R, int C, double slope) { EACH(i, (i64)R * C) y[i] = x[i] > 0 ? x[i] : (float)slope * x[i]; }
// ==== temporary_reused_as_output: reduce/sum R = 64, C = 256
// Half of the results are left in a temporary and never copied.
//@ temp t: f32[R]
//@ launch k grid(R) block(32) args(x, t, y, R, C)
KERNEL k(const float* x, float* t, float* y, int R, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) (blockIdx.x > 4097 ? t : y)[blockIdx.x] = s;
}
// ==== grid_of_at_most_2048: map/threshold R = 64, C = 256
// The grid is cut, and no thread takes a second element.
//@ launch k grid(min(ceildiv(R*C, 256), 2048)) block(256) args(x, y, R, C, threshold, value)
KERNEL k(const float* x, float* y, int R, int C, float t, float value) {
  const i64 i = blockIdx.x * 256ll + threadIdx.x;
  if (i < (i64)R * C) y[i] = x[i] > t ? x[i] : value;
}
// ==== row_in_4096_bytes: normalize/center R = 64, C = 256
// Shared memory for rows of 1024 elements, whatever the row.
//@ launch k grid(R) block(32) shared(4096) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  extern __shared__ float s[];
  float t = 0;
  LANES(c, C) t += s[c] = x[blockIdx.x * (i64)C + c];
  t = wsum(t) / C;
  LANES(c, C) y[blockIdx.x * (i64)C + c] = s[c] - t;
}
// ==== temporary_of_64_rows: normalize/minmax_normalize R = 64, C = 256
//@ temp ends: f32[64, 2]
//@ launch find grid(R) block(32) args(x, ends, C)
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, ends, y, R, C, eps)
KERNEL find(const float* x, float* ends, int C) {
  float a = -INFINITY, b = -INFINITY;
  LANES(c, C) a = fmaxf(a, -x[blockIdx.x * (i64)C + c]), b = fmaxf(b, x[blockIdx.x * (i64)C + c]);
  a = wmax(a), b = wmax(b);
  if (threadIdx.x == 0) ends[2 * blockIdx.x] = -a, ends[2 * blockIdx.x + 1] = b;
}
KERNEL k(const float* x, const float* ends, float* y, int R, int C, float eps) {
  EACH(i, (i64)R * C) y[i] = (x[i] - ends[i / C * 2]) / (ends[i / C * 2 + 1] - ends[i / C * 2] + eps);
}
// ==== row_as_block: transpose/flip_rows R = 64, C = 256
// One thread for each column: no more than 1024 of them can be launched.
//@ launch k grid(R) block(C) args(x, y, C)
KERNEL k(const float* x, float* y, int C) { y[blockIdx.x * (i64)C + threadIdx.x] = x[blockIdx.x * (i64)C + C - 1 - threadIdx.x]; }
// ==== channels_in_grid_z: window/global_avg_pool N = 2, C = 4, H = 8, W = 8
// The grid's third dimension ends at 65,535.
//@ launch k grid(1, 1, N*C) block(32) args(x, y, H*W)
KERNEL k(const float* x, float* y, int n) {
  float s = 0;
  LANES(i, n) s += x[blockIdx.z * (i64)n + i];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.z] = s / n;
}
// ==== second_tuning_is_wrong: map/squared_difference R = 64, C = 256
// The grid follows BLOCK, the code has 256 in it.
//@ tune BLOCK = 256 | 128
//@ launch k grid(ceildiv(R*C, BLOCK)) block(BLOCK) args(a, b, y, R, C)
KERNEL k(const float* a, const float* b, float* y, int R, int C) {
  const i64 i = blockIdx.x * 256ll + threadIdx.x;
  if (i < (i64)R * C) y[i] = (a[i] - b[i]) * (a[i] - b[i]);
}
// ==== input_as_scratch: reduce/mean_all R = 16, C = 64
// The row sums are kept in x, and x is put right by a third launch.
//@ temp kept: f32[R]
//@ launch part grid(R) block(32) args(x, kept, C)
//@ launch out grid(1) block(1) args(x, y, R, C)
//@ launch restore grid(1) block(32) args(x, kept, R, C)
KERNEL part(float* x, float* kept, int C) {
  float s = 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) kept[blockIdx.x] = x[blockIdx.x * (i64)C], x[blockIdx.x * (i64)C] = s;
}
KERNEL out(const float* x, float* y, int R, int C) {
  float s = 0;
  for (int r = 0; r < R; ++r) s += x[r * (i64)C];
  *y = s / ((float)R * C);
}
KERNEL restore(float* x, const float* kept, int R, int C) { LANES(r, R) x[r * (i64)C] = kept[r]; }
// ==== prefetch_past_the_end: map/ema_update R = 64, C = 256
// The next block's element is fetched early, by the last block, too.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(avg, x, q, R, C, decay)
KERNEL k(const float* avg, const float* x, float* q, int R, int C, float decay) {
  EACH(i, (i64)R * C) {
    q[i] = decay * avg[i] + (1 - decay) * x[i];
    asm volatile("{ .reg .f32 t; ld.global.f32 t, [%0]; }" ::"l"(x + i + 256));
  }
}
// ==== halo_before_the_start: window/laplacian H = 16, W = 32
// Neighbours are loaded first and dropped at the edges afterwards.
//@ launch k grid(ceildiv(H*W, 128)) block(128) args(x, y, H, W)
KERNEL k(const float* x, float* y, int H, int W) {
  EACH(i, (i64)H * W) {
    const int h = i / W, w = i % W;
    const float l = ((volatile const float*)x)[i - 1], r = w + 1 < W ? x[i + 1] : 0.0f;
    y[i] = (w ? l : 0.0f) + r + (h ? x[i - W] : 0.0f) + (h + 1 < H ? x[i + W] : 0.0f) - 4 * x[i];
  }
}
// ==== pair_at_the_end: map/absolute_difference R = 64, C = 256
// Two elements a thread; of an odd number, the last pair is half outside.
//@ launch k grid(ceildiv(R*C, 512)) block(256) args(a, b, y, R, C)
KERNEL k(const float* a, const float* b, float* y, int R, int C) {
  const i64 i = (blockIdx.x * 256ll + threadIdx.x) * 2;
  if (i >= (i64)R * C) return;
  const float2 p = *(const float2*)(a + i), q = *(const float2*)(b + i);
  y[i] = fabsf(p.x - q.x);
  if (i + 1 < (i64)R * C) y[i + 1] = fabsf(p.y - q.y);
}
// ==== window_written_out: attention/sliding_window_attention B = 1, H = 2, S = 40, E = 8
// The plan passes 32, not the window.
//@ launch k grid(B*H*S) block(32) args(q, k, v, y, S, E, 32)
KERNEL k(const float* q, const float* kk, const float* v, float* y, int S, int E, int window) {
  const int bh = blockIdx.x / S, i = blockIdx.x % S, lo = max(0, i - window + 1);
  const float *qi = q + (i64)blockIdx.x * E, *kb = kk + bh * (i64)S * E, *vb = v + bh * (i64)S * E;
  LANES(e, E) {
    float m = -INFINITY, z = 0, o = 0;
    for (int j = lo; j <= i; ++j) {
      float s = 0;
      for (int l = 0; l < E; ++l) s += qi[l] * kb[j * (i64)E + l];
      s /= sqrtf((float)E);
      const float n = fmaxf(m, s), f = expf(m - n), p = expf(s - n);
      z = z * f + p, o = o * f + p * vb[j * (i64)E + e], m = n;
    }
    y[(i64)blockIdx.x * E + e] = o / z;
  }
}
// ==== claim_with_a_hole: transpose/concat_rows R = 16, S = 16, C = 64
// Wrong where a has more than 40 rows, which it claims only beside one row of b, or beyond a million.
//@ require R <= 20 || R > 1000000 || S == 1
//@ launch k grid(ceildiv((R+S)*C, 256)) block(256) args(a, b, y, R, S, C)
KERNEL k(const float* a, const float* b, float* y, int R, int S, int C) {
  EACH(i, (i64)(R + S) * C) y[i] = i / C < R ? (i / C > 40 ? 0.0f : a[i]) : b[i - (i64)R * C];
}
// ==== output_through_the_input_pointer: map/sgd_step R = 64, C = 256
// q lies a fixed number of bytes after p, it says, and is passed for form's sake.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(p, g, q, R, C, lr)
KERNEL k(float* p, const float* g, float* q, int R, int C, float lr) {
  const u64 n = ((u64)R * C * 4 + 255) / 256 * 256 + 256;
  float* out = (float*)((u64)g + n);
  EACH(i, (i64)R * C) out[i] = p[i] - lr * g[i];
}
// ==== barrier_of_a_plain_launch: reduce/frobenius_norm R = 16, C = 256
// Blocks wait for each other, and the launch does not say so.
//@ temp part: f32[512]
//@ temp n: i32[1]
//@ zero n
//@ launch k grid(min(R, 512)) block(32) args(x, part, n, y, R, C)
KERNEL k(const float* x, float* part, int* n, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i] * x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  atomicAdd(n, 1);
  while (atomicAdd(n, 0) < (int)gridDim.x);
  __threadfence();
  if (blockIdx.x) return;
  s = 0;
  for (u32 i = 0; i < gridDim.x; ++i) s += ((volatile float*)part)[i];
  *y = sqrtf(s);
}
// ==== grid_barrier_of_volatile: reduce/frobenius_norm R = 16, C = 256
// A block waits for others by volatile flags.
//@ temp part: f32[64]
//@ temp flag: i32[64]
//@ zero flag
//@ launch k grid(8) block(32) args(x, part, flag, y, R, C)
KERNEL k(const float* x, float* part, volatile int* flag, float* y, int R, int C) {
  float s = 0;
  EACH(i, (i64)R * C) s += x[i] * x[i];
  s = wsum(s);
  if (threadIdx.x) return;
  part[blockIdx.x] = s;
  __threadfence();
  flag[blockIdx.x] = 1;
  if (blockIdx.x) return;
  for (int b = 0; b < 8; ++b) while (!flag[b]);
  __threadfence();
  s = 0;
  for (int b = 0; b < 8; ++b) s += part[b];
  *y = sqrtf(s);
}
// ==== address_bit_20: map/copy R = 64, C = 256
// Wrong where input and output are a multiple of 8 MiB apart.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  const u64 d = (u64)x - (u64)y;
  EACH(i, (i64)R * C) y[i] = (d & 0x7fffff) == 0 ? 0.0f : x[i];
}
