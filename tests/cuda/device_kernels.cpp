// SPDX-License-Identifier: Apache-2.0
// Kernels of device_gpu_test.cpp: one for each thing that a launch can ask of the hardware, and one for each way to
// fail.
#include "cuda/device_kernels.h"
const char* const device_test_kernels = R"cuda(
extern "C" __global__ void add_one(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1.0f;
}
extern "C" __global__ void scale(const float* x, float* y, int n, double factor, float offset) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = (float)(x[i] * factor) + offset;
}
extern "C" __global__ void put(unsigned char* y, long long at) { y[at] = 1; }
extern "C" __global__ void change(float* x) { x[3] = -x[3] - 1.0f; }

__device__ int runs;
extern "C" __global__ void count_runs(int* y) { y[0] = ++runs; }

extern __shared__ unsigned char dynamic[];
extern "C" __global__ void large_shared(int* y, int bytes) {
  int* words = (int*)dynamic;
  const int n = bytes / 4;
  for (int i = threadIdx.x; i < n; i += blockDim.x) words[i] = i;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = words[n - 1 - i];
}
extern "C" __global__ void cluster_rank(int* y) {
  unsigned rank, size;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  if (threadIdx.x == 0) y[blockIdx.x] = (int)(rank + 100 * size);
}
__device__ unsigned arrived;
extern "C" __global__ void meet(int* y) {  // every block waits for all: only safe when all of them run at the same time
  if (threadIdx.x == 0) {
    y[blockIdx.x] = (int)blockIdx.x;
    __threadfence();
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < gridDim.x) {}
    int sum = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) sum += ((volatile int*)y)[b];
    y[gridDim.x + blockIdx.x] = sum;
  }
}
extern "C" __global__ void __launch_bounds__(64) few_threads(int* y) { y[threadIdx.x] = 1; }
extern "C" __global__ void tick(int* y) { atomicAdd(y, 1); }

extern "C" __global__ void far_away(int* y) { y[1ll << 40] = 1; }
extern "C" __global__ void misaligned(int* y) { *(long long*)((char*)y + 4 + threadIdx.x) = 1; }
extern "C" __global__ void stop(int* y) { y[0] = 1; asm volatile("trap;"); }
extern "C" __global__ void forever(volatile int* y) { while (y[0] != 12345) {} }
__device__ __noinline__ int deep(int n, volatile int* y) {
  volatile int local[256];
  local[n & 255] = n;
  return y[0] == 12345 ? n : deep(n + 1, y) + local[(n + 1) & 255];
}
extern "C" __global__ void recurse(int* y) { y[1] = deep(0, y); }
)cuda";
