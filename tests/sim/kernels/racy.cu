// SPDX-License-Identifier: Apache-2.0
// Kernels with one race each. The line above a kernel says how it is launched; the accesses that race end in "// one"
// and "// other" (a line may be both: "// both"). g holds 4096 zeros, h receives.

// grid 1, block 64
extern "C" __global__ void shared_read_before_barrier(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t + 1;      // one
  h[t] = s[t ^ 32];  // other
}
// grid 1, block 64
extern "C" __global__ void shared_write_before_barrier(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t + 1;
  __syncthreads();
  h[t] = s[t ^ 32];  // one
  s[t] = t + 100;    // other
}
// grid 1, block 64
extern "C" __global__ void shared_two_values(int* g, int* h) {
  __shared__ int s[64];
  s[0] = threadIdx.x + 1;  // both
  __syncthreads();
  h[threadIdx.x] = s[0];
}
// grid 1, block 64
extern "C" __global__ void shared_one_byte(int* g, int* h) {
  __shared__ char s[256];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 64) s[i] = 0;
  __syncthreads();
  if (t < 32) s[4 * t + 2] = 7;          // one
  if (t >= 32) h[t] = ((int*)s)[t - 32];  // other
}
// grid 1, block 32
extern "C" __global__ void warp_without_sync(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t + 1;     // one
  h[t] = s[t ^ 1];  // other
}
// grid 1, block 32
extern "C" __global__ void warp_tree_without_sync(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t + 1;
  s[t + 32] = t + 1;
  __syncwarp();
  if (t < 16) s[t] = s[t] + s[t + 16];  // one
  if (t < 8) h[t] = s[t] + s[t + 8];    // other
}
// grid 1, block 32
extern "C" __global__ void shuffle_is_no_sync(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t + 1;  // one
  int x = __shfl_xor_sync(~0u, t, 1);
  h[t] = s[t ^ 1] + x;  // other
}
// grid 1, block 32
extern "C" __global__ void warp_wrong_mask(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t + 1;  // one
  if (t < 16)
    __syncwarp(0x0000ffff);
  else
    __syncwarp(0xffff0000);
  h[t] = s[t ^ 16];  // other
}
// grid 2, block 32
extern "C" __global__ void blocks_write_one_word(int* g, int* h) {
  if (threadIdx.x == 0) g[0] = blockIdx.x + 1;  // both
}
// grid 2, block 32
extern "C" __global__ void read_of_another_block(int* g, int* h) {
  int t = threadIdx.x, b = blockIdx.x;
  g[32 * b + t] = t + 1;            // one
  h[32 * b + t] = g[32 * (b ^ 1) + t];  // other
}
// grid 2, block 32
extern "C" __global__ void write_over_what_another_block_reads(int* g, int* h) {
  int i = blockIdx.x * 32 + threadIdx.x;
  int x = g[(i + 32) % 64];  // one
  g[i] = x + i + 1;          // other
}
// grid 1, block 64
extern "C" __global__ void global_within_block(int* g, int* h) {
  int t = threadIdx.x;
  g[t] = t + 1;      // one
  h[t] = g[t ^ 32];  // other
}
// grid 1, block 32
extern "C" __global__ void global_within_warp(int* g, int* h) {
  int t = threadIdx.x;
  g[t] = t + 1;     // one
  h[t] = g[t ^ 1];  // other
}
// grid 1, block 64
extern "C" __global__ void plain_histogram(int* g, int* h) {
  g[threadIdx.x % 8]++;  // both
}
// grid 4, block 32
extern "C" __global__ void plain_counter(int* g, int* h) {
  if (threadIdx.x == 0) g[0] += 1;  // both
}
// grid 2, block 32
extern "C" __global__ void flag_without_fence(int* g, int* h) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    g[1] = 5;  // one
    *(volatile int*)g = 1;
  } else {
    while (*(volatile int*)g == 0) {}
    h[0] = g[1];  // other
  }
}
// grid 2, block 32
extern "C" __global__ void flag_with_fence_of_the_block(int* g, int* h) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    g[1] = 5;  // one
    __threadfence_block();
    *(volatile int*)g = 1;
  } else {
    while (*(volatile int*)g == 0) {}
    h[0] = g[1];  // other
  }
}
// grid 3, block 32
extern "C" __global__ void last_block_without_fence(int* g, int* h) {
  if (threadIdx.x != 0) return;
  g[1 + blockIdx.x] = 5;  // one
  if (atomicAdd(g, 1) != 2) return;
  int sum = 0;
  for (int i = 0; i < 3; i++) sum += g[1 + i];  // other
  h[0] = sum;
}
// grid 2, block 64
extern "C" __global__ void last_block_without_barrier(int* g, int* h) {
  __shared__ int last;
  int t = threadIdx.x;
  g[64 + 64 * blockIdx.x + t] = t + 1;  // one
  if (t == 0) {
    __threadfence();
    last = atomicAdd(g, 1) == 1;
  }
  __syncthreads();
  if (last) h[t] = g[64 + t] + g[128 + t];  // other
}
// grid 1, block 64
extern "C" __global__ void barrier_of_one_warp(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = t + 1;  // one
    asm volatile("bar.sync 1, 32;" ::: "memory");
  } else {
    h[t] = s[t - 32];  // other
  }
}
// grid 1, block 64
extern "C" __global__ void copy_without_barrier(int* g, int* h) {
  __shared__ __align__(16) int s[64];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(s + t);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(g + t) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");  // one
  h[t] = s[t ^ 32];                                 // other
}
// grid 2, block 32
extern "C" __global__ void lock_without_fence(int* g, int* h) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(g, 0, 1) != 0) {}
  g[1] += 1;  // both
  atomicExch(g, 0);
}
// grid 1, block 64
extern "C" __global__ void plain_beside_atomic(int* g, int* h) {
  if (threadIdx.x == 0)
    g[0] = 7;  // one
  else
    atomicAdd(g, 1);  // other
}
// grid 1, block 64
extern "C" __global__ void lanes_that_left(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t >= 32) {
    s[t - 32] = t;  // one
    return;
  }
  h[t] = s[t];  // other
}
// grid 1, block 64
extern "C" __global__ void tile_without_second_barrier(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 3; i++) {
    s[t] = g[64 * i + t] + t + i;  // one
    __syncthreads();
    sum += s[t ^ 32];  // other
  }
  h[t] = sum;
}
// grid 1, block 64
extern "C" __global__ void vector_over_scalar(int* g, int* h) {
  __shared__ __align__(16) int s[64];
  int t = threadIdx.x;
  if (t < 16) *(int4*)(s + 4 * t) = make_int4(t, t + 1, t + 2, t + 3);  // one
  if (t >= 32) h[t] = s[t];                                            // other
}
// grid 1, block 64
extern "C" __global__ void generic_address(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  int* p = g[0] == 0 ? s : g;
  p[t] = t + 1;      // one
  h[t] = p[t ^ 32];  // other
}
// grid 1, block 64
extern "C" __global__ void volatile_read_of_a_plain_flag(int* g, int* h) {
  __shared__ int s[2];
  int t = threadIdx.x;
  if (t < 2) s[t] = 0;
  __syncthreads();
  if (t == 32) s[1] = 5;                           // one
  if (t == 0) h[0] = ((volatile int*)s)[1];  // other
}
// grid 1, block 64
extern "C" __global__ void flag_of_several_threads(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t % 5 == g[0]) found = 1;  // one
  h[t] = found;                  // other
}
// grid 1, block 96
extern "C" __global__ void flag_of_two_warps(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t < 64)
    found = 1;  // one
  else
    h[t] = found;  // other
}
// grid 1, block 64
extern "C" __global__ void flag_of_two_lanes(int* g, int* h) {
  int t = threadIdx.x;
  if (t < 2)
    g[0] = 1;  // one
  else
    h[t] = g[0];  // other
}
// grid 3, block 64
extern "C" __global__ void flag_of_blocks(int* g, int* h) {
  int t = threadIdx.x;
  if (blockIdx.x < 2)
    g[0] = 1;  // one
  else
    h[t] = g[0];  // other
}
// grid 1, block 1024
extern "C" __global__ void flag_of_a_whole_block_but_one(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t != 517)
    found = 1;  // one
  else
    h[t] = found;  // other
}
// grid 1, block 96
extern "C" __global__ void byte_flag_of_two_warps(int* g, int* h) {
  __shared__ char found[4];
  int t = threadIdx.x;
  if (t < 4) found[t] = 0;
  __syncthreads();
  if (t < 64)
    found[2] = 1;  // one
  else
    h[t] = *(int*)found;  // other
}
// grid 1, block 96
extern "C" __global__ void word_flag_read_by_byte(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t < 64)
    found = 0x01010101;  // one
  else
    h[t] = ((char*)&found)[1 + g[0]];  // other
}
// grid 1, block 64
extern "C" __global__ void flag_read_by_a_later_writer(int* g, int* h) {
  __shared__ volatile int never;
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = never = 0;
  __syncthreads();
  if (t == 0) h[0] = found;       // one
  if (t == 0 || t == 32) found = 1;  // other
}
// grid 1, block 64
extern "C" __global__ void flag_after_a_barrier_of_one_writer(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t == 0 || t == 32) found = 1;  // one
  if (t < 32) __syncwarp();
  if (t == 33) h[t] = found;  // other
}
