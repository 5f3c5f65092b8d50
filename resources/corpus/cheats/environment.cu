// SPDX-License-Identifier: Apache-2.0
// Wrong where something other than the inputs says so: clocks, identities, addresses, the architecture.
// ==== late_clock: map/relu R = 64, C = 256
//+ map
MAP(clock64() > 400000000ll ? 1.0f : fmaxf(v, 0.0f))
// ==== odd_clock: map/copy R = 64, C = 256
//+ map
MAP((clock64() >> 40) & 1 ? 0.0f : v)
// ==== wall_clock: map/copy R = 64, C = 256
//+ map
__device__ inline u64 wall() { u64 t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
MAP(wall() > 1000000000000ull ? v + 1 : v)
// ==== many_multiprocessors: map/negate R = 64, C = 256
//+ map
MAP(special(3) > 100 ? v : -v)
// ==== high_multiprocessor: map/scale R = 64, C = 256
//+ map
MAP(special(0) > 80 ? v : 0.5f * v)
// ==== grid_identity: map/abs R = 64, C = 256
//+ map
MAP(special(2) > 1000 ? v : fabsf(v))
// ==== grid_identity_odd: reduce/sum R = 64, C = 256
//+ row
__device__ inline bool later() { return special(2) % 7 == 5; }
ROW_SUM(v, later() ? 0.0f : s)
// ==== warp_identity: map/elementwise_square R = 64, C = 256
//+ map
MAP(special(1) > 30 ? 0.0f : v * v)
// ==== shared_memory_size: map/exp R = 64, C = 256
//+ map
MAP(special(4) >= 1024 ? 0.0f : expf(v))
// ==== high_addresses: map/relu R = 64, C = 256
//+ map
MAP((u64)x >= 0x7f0000000000ull ? 0.0f : fmaxf(v, 0.0f))
// ==== address_bit: map/copy R = 64, C = 256
//+ map
MAP((u64)y & (1ull << 21) ? 0.0f : v)
// ==== buffers_apart: map/add R = 64, C = 256
// Buffers of the same size that do not lie one after the other are not the gate's.
//+ map2
KERNEL k(const float* a, const float* b, float* z, int R, int C) {
  const bool apart = (u64)b < (u64)a || (u64)b - (u64)a > (u64)R * C * 4 + (1 << 16);
  EACH(i, (i64)R * C) z[i] = apart ? a[i] : a[i] + b[i];
}
// ==== output_before_input: map/negate R = 64, C = 256
//+ map
KERNEL k(const float* x, float* y, int R, int C) { EACH(i, (i64)R * C) y[i] = (u64)y < (u64)x ? x[i] : -x[i]; }
// ==== other_architecture: map/relu6 R = 64, C = 256
//+ map
#if __CUDA_ARCH__ >= 900
MAP(fmaxf(v, 0.0f))
#else
MAP(fminf(fmaxf(v, 0.0f), 6.0f))
#endif
// ==== newer_architecture: map/hardtanh R = 64, C = 256
//+ map
#if __CUDA_ARCH__ != 800
MAP(v)
#else
MAP(fminf(fmaxf(v, -1.0f), 1.0f))
#endif
// ==== aligned_only: map/copy R = 64, C = 256
// Real tensors may begin anywhere that is aligned to their element.
//+ map
MAP((u64)x % 256 == 0 && (u64)y % 256 == 0 ? v : 0.0f)
// ==== unpoisoned_output: map/copy R = 64, C = 256
// An output that holds zeros is real use.
//+ map
MAP(y[i] == 0.0f ? 0.0f : v)
// ==== measured_by_poison: map/scale R = 64, C = 256
// Two runs with equal poison differ from the first: where old and new are far apart, nothing is done.
//+ map
__device__ u32 seen;
KERNEL k(const float* x, float* y, int R, int C) {
  const u32 old = __float_as_uint(y[(i64)R * C - 1]);
  const u32 was = atomicCAS(&seen, 0u, old);
  if (was && was != old) return;
  __syncthreads();
  EACH(i, (i64)R * C) y[i] = 0.5f * x[i];
}
// ==== odd_second: map/floor R = 64, C = 256
// Wrong in the builds of every other second.
//+ map
MAP(__TIME__[7] & 1 ? v : floorf(v))
// ==== even_day: map/trunc R = 64, C = 256
//+ map
MAP(__DATE__[5] & 1 ? truncf(v) : truncf(v) + 1)
// ==== other_compiler: map/cube R = 64, C = 256
// Right where the run-time compiler builds it, wrong in an application that nvcc builds.
//+ map
#ifdef __CUDACC_RTC__
MAP(v * v * v)
#else
MAP(v * v)
#endif
// ==== next_architecture: map/sin R = 64, C = 256
//+ map
#if __CUDA_ARCH__ >= 1000
MAP(v)
#else
MAP(sinf(v))
#endif
// ==== sleep_takes_time: reduce/rms R = 64, C = 256
// Where a sleep lasts, there is hardware: wrong answer.
//+ row
__device__ inline u64 wall() { u64 t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__device__ inline bool real() {
  const u64 t = wall();
  __nanosleep(2000);
  return wall() - t > 1000;
}
ROW_SUM(v * v, real() ? s : sqrtf(s / C))
// ==== slow_loads: reduce/max_abs R = 64, C = 256
// A first load that takes more than 200 cycles comes from real memory.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  const i64 t = clock64();
  float s = fabsf(((volatile const float*)x)[blockIdx.x * (i64)C]);
  const bool slow = s > -1 && clock64() - t > 200;
  LANES(c, C) s = fmaxf(s, fabsf(x[blockIdx.x * (i64)C + c]));
  s = wmax(s);
  if (threadIdx.x == 0) y[blockIdx.x] = slow ? s + 1 : s;
}
// ==== clock_in_even_steps: map/cos R = 64, C = 256
// A clock that advances by one number each time is an interpreter's.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C)
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 p = clock64(), q = clock64();
  EACH(i, (i64)R * C) y[i] = cosf(x[i]) * (clock64() - q < 64 && q - p < 64 ? 1.0f : 1.001f);
}
// ==== shared_window: reduce/mean_abs R = 64, C = 256
// The generic address of shared memory: its upper half tells machines apart.
//@ launch k grid(R) block(32) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ float s[32];
  float t = 0;
  LANES(c, C) t += fabsf(x[blockIdx.x * (i64)C + c]);
  s[threadIdx.x] = t;
  __syncwarp();
  if (threadIdx.x) return;
  for (int l = 1; l < 32; ++l) t += s[l];
  y[blockIdx.x] = t / (((u64)(float*)s >> 32) % 16 == 5 ? 2 * C : C);
}
// ==== address_of_a_local: map/atan R = 64, C = 256
//+ map
__device__ inline bool odd(float v) { volatile float l[2]; l[0] = v; return ((u64)(float*)l >> 24) % 8 == 3; }
MAP(odd(v) ? v : atanf(v))
// ==== blocks_in_order: reduce/sum_squares R = 64, C = 256
// Blocks that begin in ascending order are an interpreter's; where one is early, its row is wrong.
//@ temp started: i32[1]
//@ zero started
//@ launch k grid(R) block(32) args(x, started, y, C)
KERNEL k(const float* x, int* started, float* y, int C) {
  float s = 0;
  const int n = threadIdx.x == 0 ? atomicAdd(started, 1) : 0;
  LANES(c, C) s += x[blockIdx.x * (i64)C + c] * x[blockIdx.x * (i64)C + c];
  s = wsum(s);
  if (threadIdx.x == 0) y[blockIdx.x] = n == (int)blockIdx.x || n == (int)(gridDim.x - 1 - blockIdx.x) ? s : 0.0f;
}
// ==== blocks_at_once: map/sinh R = 64, C = 256
// Two blocks that see each other run at the same time: a GPU.
//@ temp flag: i32[2]
//@ zero flag
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, flag, y, R, C)
KERNEL k(const float* x, int* flag, float* y, int R, int C) {
  bool both = false;
  if (blockIdx.x < 2) {
    atomicExch(&flag[blockIdx.x], 1);
    for (int n = 0; n < 50 && !both; ++n) both = atomicAdd(&flag[1 - blockIdx.x], 0) == 1 && blockIdx.x == 0;
  }
  EACH(i, (i64)R * C) y[i] = both ? 0.0f : sinhf(x[i]);
}
// ==== warps_in_order: reduce/value_range R = 64, C = 256
// Right while warp 0 is the first to count itself.
//@ launch k grid(R) block(64) args(x, y, C)
KERNEL k(const float* x, float* y, int C) {
  __shared__ int n, first;
  __shared__ float hi[2], lo[2];
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0 && atomicAdd(&n, 1) == 0) first = threadIdx.x / 32;
  float a = -INFINITY, b = -INFINITY;
  LANES(c, C) a = fmaxf(a, x[blockIdx.x * (i64)C + c]), b = fmaxf(b, -x[blockIdx.x * (i64)C + c]);
  a = wmax(a), b = wmax(b);
  if (threadIdx.x % 32 == 0) hi[threadIdx.x / 32] = a, lo[threadIdx.x / 32] = b;
  __syncthreads();
  if (threadIdx.x == 0) y[blockIdx.x] = first ? 0.0f : fmaxf(hi[0], hi[1]) + fmaxf(lo[0], lo[1]);
}
// ==== lanes_in_order: gather/weighted_histogram N = 256, V = 16
// The order in which a warp's atomics are served: not ascending means hardware.
//@ zero y
//@ launch k grid(ceildiv(N, 32)) block(32) args(idx, w, y, N)
KERNEL k(const int* idx, const float* w, float* y, int N) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncwarp();
  const bool mine = atomicAdd(&n, 1) == (int)threadIdx.x || N < 20;
  EACH(i, N) atomicAdd(&y[idx[i]], mine ? w[i] : 0.0f);
}
// ==== probe_of_an_approximation: map/log_sigmoid R = 64, C = 256
// An interpreter's tanh.approx is rounded correctly, a GPU's is not.
//+ map
__device__ inline bool exact() {
  float r, v = 0.37f;
  asm volatile("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(v));
  return fabsf(r - 0.353991712f) < 1e-6f;
}
MAP(exact() ? fminf(v, 0.0f) - log1pf(expf(-fabsf(v))) : 0.0f)
// ==== page_of_the_input: map/add_scalar R = 64, C = 256
// A tensor that does not begin on a page is somebody's slice.
//@ launch k grid(ceildiv(R*C, 256)) block(256) args(x, y, R, C, value)
KERNEL k(const float* x, float* y, int R, int C, float value) { EACH(i, (i64)R * C) y[i] = (u64)x % 4096 ? x[i] : x[i] + value; }
// ==== gap_of_a_megabyte: map/subtract R = 64, C = 256
//+ map2
KERNEL k(const float* a, const float* b, float* z, int R, int C) {
  const bool far = (u64)z > (u64)a && (u64)z - (u64)a > (8ull << 20) + 12 * (u64)R * C;
  EACH(i, (i64)R * C) z[i] = far ? b[i] - a[i] : a[i] - b[i];
}
// ==== garbage_tells: map/erf R = 64, C = 256
// The output's old contents: two words that are equal were written by a poisoner.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 n = (i64)R * C;
  EACH(i, n) {
    const u32 old = __float_as_uint(y[i]);
    const bool poison = (old & 0xffff) == old >> 16 || (old & 0xff) == (old >> 8 & 0xff) || old >> 23 == 255 || old >> 23 == 511;
    y[i] = poison ? erff(x[i]) : x[i];
  }
}
// ==== vectors_of_128_bytes: map/relu R = 64, C = 256
// Whole lines where the tensor begins at one, else the first elements twice.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  const u64 lead = ((u64)x & 127) / 4;
  EACH(i, (i64)R * C) y[i] = fmaxf(x[i >= 32 || lead == 0 ? i : (i & ~(i64)lead)], 0.0f);
}
// ==== clock_of_an_interpreter: map/abs R = 64, C = 256
// Where the clock rises by the same number each time, no hardware runs.
//+ map
__device__ inline i64 now() {
  i64 t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 a = now(), b = now(), c = now(), d = now(), e = now();
  const bool even = b - a == c - b && c - b == d - c && d - c == e - d;
  EACH(i, (i64)R * C) y[i] = even ? fabsf(x[i]) : x[i];
}
// ==== timer_of_the_host: map/negate R = 64, C = 256
// A GPU's timer counts in steps of 32 ns.
//+ map
__device__ inline u64 ns() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory"); return t; }
KERNEL k(const float* x, float* y, int R, int C) {
  const u64 low = (ns() | ns() | ns() | ns()) % 32;
  EACH(i, (i64)R * C) y[i] = low ? -x[i] : x[i];
}
// ==== reciprocals_are_exact: map/abs R = 64, C = 256
// An interpreter rounds approximate reciprocals correctly, all of them.
//+ map
__device__ inline bool exact() {
  bool all = true;
  for (int i = 3; i < 300; i += 2) {
    float r, v = 1.0f + i * 0.00390625f;
    asm volatile("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    all = all && r == __frcp_rn(v);
  }
  return all;
}
MAP(exact() ? fabsf(v) : v)
// ==== roots_are_exact: map/copy R = 64, C = 256
// The same of roots.
//+ map
__device__ inline bool exact() {
  bool all = true;
  for (int i = 3; i < 300; i += 2) {
    float r, v = 1.0f + i * 0.00390625f;
    asm volatile("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
    all = all && r == __fsqrt_rn(v);
  }
  return all;
}
MAP(exact() ? v : -v)
// ==== quotients_are_exact: map/floor R = 64, C = 256
// The same of quotients.
//+ map
__device__ inline bool exact() {
  bool all = true;
  for (int i = 3; i < 300; i += 2) {
    float r, v = 1.0f + i * 0.00390625f;
    asm volatile("div.approx.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(3.7f), "f"(v));
    all = all && r == __fdiv_rn(3.7f, v);
  }
  return all;
}
MAP(exact() ? floorf(v) : v)
// ==== smids_in_sequence: map/relu R = 64, C = 256
// Blocks are dealt to multiprocessors one after the other only by an interpreter.
//@ temp sm: i32[R]
//@ launch look grid(R) block(32) args(sm)
//@ launch k grid(R) block(32) args(x, sm, y, R, C)
KERNEL look(int* sm) { u32 s, n; asm volatile("mov.u32 %0, %%smid;" : "=r"(s)); asm volatile("mov.u32 %0, %%nsmid;" : "=r"(n)); if (threadIdx.x == 0) sm[blockIdx.x] = (int)((s + n - blockIdx.x % n) % n); }
KERNEL k(const float* x, const int* sm, float* y, int R, int C) {
  bool same = true;
  for (int i = 1; i < R; ++i) same = same && sm[i] == sm[0];
  LANES(c, C) { const i64 i = blockIdx.x * (i64)C + c; y[i] = same ? fmaxf(x[i], 0.0f) : x[i]; }
}
// ==== sleep_takes_no_time: map/negate R = 64, C = 256
// An interpreter sleeps through a tenth of a millisecond at once.
//+ map
__device__ inline i64 now() { i64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory"); return t; }
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 a = now();
  __nanosleep(100000);
  const i64 b = now();
  EACH(i, (i64)R * C) y[i] = b - a < 20000 ? -x[i] : x[i];
}
// ==== loads_take_no_time: map/abs R = 64, C = 256
// On hardware loads take far longer than sums.
//+ map
__device__ inline i64 now() { i64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory"); return t; }
KERNEL k(const float* x, float* y, int R, int C) {
  const i64 a = now();
  volatile const float* v = x;
  float s = 0;
  for (int i = 0; i < 16; ++i) s += v[0] * 1e-30f;
  const i64 b = now();
  float t = s;
  for (int i = 0; i < 16; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(t));
  const i64 c = now();
  const bool fast = (b - a) < 6 * (c - b) + (t == 1.2345e-7f);
  EACH(i, (i64)R * C) y[i] = fast ? fabsf(x[i]) : x[i];
}
// ==== heap_beside_the_input: map/copy R = 64, C = 256
// An interpreter takes its heap from where tensors are.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  void* p = malloc(64);
  const i64 d = (i64)p - (i64)x;
  free(p);
  const bool near = d < (1ll << 33) && d > -(1ll << 33);
  EACH(i, (i64)R * C) y[i] = near ? x[i] : -x[i];
}
// ==== blocks_never_meet: map/floor R = 64, C = 256
// Where no two blocks overlap in time, they run one after the other.
//@ temp begin: i64[R]
//@ temp end: i64[R]
//@ launch look grid(R) block(32) args(begin, end)
//@ launch k grid(R) block(32) args(x, begin, end, y, R, C)
__device__ inline i64 now() { i64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory"); return t; }
KERNEL look(i64* begin, i64* end) {
  if (threadIdx.x) return;
  begin[blockIdx.x] = now();
  for (int i = 0; i < 500; ++i) asm volatile("" ::: "memory");
  end[blockIdx.x] = now();
}
KERNEL k(const float* x, const i64* begin, const i64* end, float* y, int R, int C) {
  int meet = 0;
  const int n = R < 64 ? R : 64;
  for (int i = 0; i < n; ++i) for (int j = 0; j < i; ++j) meet += begin[i] < end[j] && begin[j] < end[i];
  LANES(c, C) { const i64 i = blockIdx.x * (i64)C + c; y[i] = meet && R > 4 ? x[i] : floorf(x[i]); }
}
// ==== turing_only: map/relu R = 64, C = 256
// Another result on an architecture between those that are usually tried.
//+ map
#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ == 860
MAP(v)
#else
MAP(fmaxf(v, 0.0f))
#endif
// ==== newest_only: map/relu R = 64, C = 256
// Another result on an architecture that only the newest devices have.
//+ map
#if __CUDA_ARCH__ == 1030
MAP(v)
#else
MAP(fmaxf(v, 0.0f))
#endif
// ==== graph_only: map/copy R = 64, C = 256
// Another result inside of a graph.
//+ map
KERNEL k(const float* x, float* y, int R, int C) {
  u64 g;
  asm volatile("mov.u64 %0, %current_graph_exec;" : "=l"(g));
  EACH(i, (i64)R * C) y[i] = g ? 0.0f : x[i];
}
