// SPDX-License-Identifier: Apache-2.0
// Policies of an address range and of a constant, on an asynchronous copy and a store.
// op: map/relu
// bind: R = 64, C = 256
// expect: accepted
//@ candidate relu
//@ launch relu grid(ceildiv(R*C, 256)) block(256) args(x, y, R*C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  __shared__ alignas(16) float s[256];
  unsigned long long policy, c;
  asm volatile("createpolicy.range.global.L2::evict_last.L2::evict_first.b64 %0, [%1], %2, %3;" : "=l"(policy) : "l"(x), "r"(1024), "r"(4096));
  asm volatile("createpolicy.cvt.L2.b64 %0, %1;" : "=l"(c) : "l"(0x14F0000000000000ull));
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int b = blockIdx.x * 256;
  if (threadIdx.x < 64 && b + threadIdx.x * 4 + 4 <= n) {
    unsigned sa = (unsigned)__cvta_generic_to_shared(s + threadIdx.x * 4);
    asm volatile("cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], 16, %2;" :: "r"(sa), "l"(x + b + threadIdx.x * 4), "l"(policy) : "memory");
  }
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  if (i < n) {
    float f = (b + (threadIdx.x / 4) * 4 + 4 <= n) ? s[threadIdx.x] : x[i];
    asm volatile("st.global.L2::cache_hint.f32 [%0], %1, %2;" :: "l"(y + i), "f"(fmaxf(f, 0.0f)), "l"(c) : "memory");
  }
}
