// SPDX-License-Identifier: Apache-2.0
// Kernels without races, launched as the ones of racy.cu.

// grid 1, block 64
extern "C" __global__ void barrier_between(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t + 1;
  __syncthreads();
  h[t] = s[t ^ 32];
  __syncthreads();
  s[t] = t + 100;
}
// grid 1, block 32
extern "C" __global__ void warp_sync_between(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t + 1;
  __syncwarp();
  h[t] = s[t ^ 1];
}
// grid 1, block 32
extern "C" __global__ void half_warps(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  unsigned mask = t < 16 ? 0x0000ffff : 0xffff0000;
  s[t] = t + 1;
  __syncwarp(mask);
  h[t] = s[t ^ 1];
}
// grid 1, block 32
extern "C" __global__ void warp_tree(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  s[t] = t + 1;
  __syncwarp();
  for (int o = 16; o > 0; o /= 2) {
    int v = t < o ? s[t + o] : 0;
    __syncwarp();
    if (t < o) s[t] += v;
    __syncwarp();
  }
  if (t == 0) h[0] = s[0];
}
// grid 1, block 64
extern "C" __global__ void block_tree(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t + 1;
  __syncthreads();
  for (int o = 32; o > 0; o /= 2) {
    if (t < o) s[t] += s[t + o];
    __syncthreads();
  }
  if (t == 0) h[0] = s[0];
}
// grid 1, block 64
extern "C" __global__ void shuffles_only(int* g, int* h) {
  int v = threadIdx.x;
  for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync(~0u, v, o);
  if (threadIdx.x % 32 == 0) atomicAdd(h, v);
}
// grid 1, block 64
extern "C" __global__ void same_value(int* g, int* h) {
  __shared__ int s;
  s = 5;
  g[0] = 9;
  __syncthreads();
  h[threadIdx.x] = s;
}
// grid 1, block 64
extern "C" __global__ void neighbouring_bytes(int* g, int* h) {
  __shared__ char s[64];
  s[threadIdx.x] = threadIdx.x;
  ((char*)g)[threadIdx.x] = threadIdx.x;
  __syncthreads();
  h[threadIdx.x] = s[63 - threadIdx.x];
}
// grid 4, block 64
extern "C" __global__ void atomic_histogram(int* g, int* h) { atomicAdd(g + threadIdx.x % 8, 1); }
// grid 4, block 64
extern "C" __global__ void shared_histogram(int* g, int* h) {
  __shared__ int s[8];
  int t = threadIdx.x;
  if (t < 8) s[t] = 0;
  __syncthreads();
  atomicAdd(s + t % 8, 1);
  __syncthreads();
  if (t < 8) atomicAdd(g + t, s[t]);
}
// grid 2, block 32
extern "C" __global__ void flag_with_fence(int* g, int* h) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    g[1] = 5;
    __threadfence();
    *(volatile int*)g = 1;
  } else {
    while (*(volatile int*)g == 0) {}
    __threadfence();
    h[0] = g[1];
  }
}
// grid 3, block 64
extern "C" __global__ void last_block(int* g, int* h) {
  __shared__ int last;
  int t = threadIdx.x;
  g[64 + 64 * blockIdx.x + t] = t + 1;
  __threadfence();
  __syncthreads();
  if (t == 0) last = atomicAdd(g, 1) == 2;
  __syncthreads();
  if (!last) return;
  __threadfence();
  h[t] = g[64 + t] + g[128 + t] + g[192 + t];
}
// grid 3, block 64
extern "C" __global__ void last_block_fenced_by_one(int* g, int* h) {
  __shared__ int last;
  int t = threadIdx.x;
  g[64 + 64 * blockIdx.x + t] = t + 1;
  __syncthreads();
  if (t == 0) {
    __threadfence();
    last = atomicAdd(g, 1) == 2;
    __threadfence();
  }
  __syncthreads();
  if (last) h[t] = g[64 + t] + g[128 + t] + g[192 + t];
}
// grid 4, block 64
extern "C" __global__ void lock_with_fences(int* g, int* h) {
  if (threadIdx.x == 0) {
    while (atomicCAS(g, 0, 1) != 0) {}
    __threadfence();
    g[1] += 1;
    __threadfence();
    atomicExch(g, 0);
  }
}
// grid 1, block 128
extern "C" __global__ void lock_of_warps(int* g, int* h) {
  __shared__ int lock, sum;
  if (threadIdx.x == 0) lock = sum = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence_block();
    sum += threadIdx.x;
    __threadfence_block();
    atomicExch(&lock, 0);
  }
  __syncthreads();
  h[threadIdx.x] = sum;
}
// grid 1, block 32
extern "C" __global__ void lock_of_lanes(int* g, int* h) {
  bool done = false;
  while (!done)
    if (atomicCAS(g, 0, 1) == 0) {
      __threadfence();
      g[1] += threadIdx.x;
      __threadfence();
      atomicExch(g, 0);
      done = true;
    }
}
// grid 1, block 64
extern "C" __global__ void named_barriers(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t < 32) {
    s[t] = t + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    h[t] = s[t - 32];
  }
}
// grid 1, block 64
extern "C" __global__ void two_buffers(int* g, int* h) {
  __shared__ int s[2][64];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 4; i++) {
    s[i & 1][t] = g[64 * i + t] + i;
    __syncthreads();
    sum += s[i & 1][t ^ 32];
  }
  h[t] = sum;
}
// grid 1, block 64
extern "C" __global__ void copies_awaited(int* g, int* h) {
  __shared__ __align__(16) int s[2][64];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 4; i++) {
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[i & 1][t]);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(g + 64 * i + t) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += s[i & 1][t ^ 32];
  }
  h[t] = sum;
}
// grid 4, block 32
extern "C" __global__ void chained_sums(int* g, int* h) {  // g[0]: tickets; g[16 + b]: flags; g[64 + b]: sums
  if (threadIdx.x != 0) return;
  int b = atomicAdd(g, 1), before = 0;
  if (b > 0) {
    while (*(volatile int*)(g + 16 + b - 1) == 0) {}
    __threadfence();
    before = g[64 + b - 1];
  }
  g[64 + b] = before + b + 1;
  __threadfence();
  *(volatile int*)(g + 16 + b) = 1;
  h[b] = before;
}
// grid 1, block 128
extern "C" __global__ void ring_of_warps(int* g, int* h) {
  __shared__ volatile int turn;
  __shared__ int sum;
  if (threadIdx.x == 0) turn = sum = 0;
  __syncthreads();
  int w = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) {
    while (turn != w) {}
    __threadfence_block();
    sum += w + 1;
    __threadfence_block();
    turn = w + 1;
  }
  __syncthreads();
  h[threadIdx.x] = sum;
}
// grid 2, block 64
extern "C" __global__ void tickets(int* g, int* h) {
  int i = atomicAdd(g, 1);
  h[i] = i;
}
// grid 4, block 64
extern "C" __global__ void grid_stride(int* g, int* h) {
  for (int i = blockIdx.x * 64 + threadIdx.x; i < 1000; i += 256) h[i] = g[i] + 1;
}
// grid 2, block 64
extern "C" __global__ void all_read_one(int* g, int* h) { h[blockIdx.x * 64 + threadIdx.x] = g[7] + g[8]; }
// grid 1, block 64
extern "C" __global__ void reducing_barrier(int* g, int* h) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  int any = __syncthreads_or(t == 63);
  h[t] = s[63 - t] + any;
}
// grid 1, block 64
extern "C" __global__ void exchange_hands_over(int* g, int* h) {
  __shared__ int flag, data;
  if (threadIdx.x == 0) flag = data = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    data = 42;
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  if (threadIdx.x == 32) {
    while (atomicAdd(&flag, 0) == 0) {}
    __threadfence_block();
    h[0] = data;
  }
}
// grid 1, block 48
extern "C" __global__ void lanes_that_do_not_exist(int* g, int* h) {
  __shared__ int s[48];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  h[threadIdx.x] = s[47 - threadIdx.x];
}
// grid 1, block 64
extern "C" __global__ void some_leave_then_barrier_of_the_rest(int* g, int* h) {
  __shared__ int s[32];
  int t = threadIdx.x;
  if (t >= 32) return;
  s[t] = t;
  asm volatile("bar.sync 1, 32;" ::: "memory");
  h[t] = s[31 - t];
}
// grid 2, block 32
extern "C" __global__ void least_by_atomics(int* g, int* h) {
  atomicMin(g, -(int)(blockIdx.x * 32 + threadIdx.x));
  atomicMax(g + 1, (int)threadIdx.x);
}
// grid 1, block 64
extern "C" __global__ void flag_after_a_barrier(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t == 0) found = 0;
  __syncthreads();
  if (t % 5 == g[0]) found = 1;
  __syncthreads();
  h[t] = found;
}
// grid 1, block 1024
extern "C" __global__ void each_reads_the_flag_that_it_set(int* g, int* h) {
  __shared__ int found;
  found = 1;
  h[threadIdx.x] = *(volatile int*)&found;
}
// grid 2, block 64
extern "C" __global__ void each_reads_the_word_that_it_set(int* g, int* h) {
  g[5] = 1;
  h[blockIdx.x * 64 + threadIdx.x] = *(volatile int*)(g + 5);
}
// grid 1, block 64
extern "C" __global__ void lanes_after_their_own_writer(int* g, int* h) {
  __shared__ int found;
  int t = threadIdx.x;
  if (t % 32 == 0) found = 1;
  __syncwarp();
  h[t] = found;
}
// grid 1, block 64
extern "C" __global__ void flag_in_rounds(int* g, int* h) {
  __shared__ int changed;
  int t = threadIdx.x, rounds = 0;
  do {
    __syncthreads();
    changed = 0;
    __syncthreads();
    if (t % 7 + rounds < 9) changed = 1;
    __syncthreads();
    rounds++;
  } while (changed);
  h[t] = rounds;
}
// grid 1, block 64
extern "C" __global__ void zeros_over_zeros(int* g, int* h) {
  int t = threadIdx.x;
  if (t % 2 == 0)
    g[100 + t / 2] = 0;
  else
    h[t] = g[100 + t / 2];
}
