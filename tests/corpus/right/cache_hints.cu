// SPDX-License-Identifier: Apache-2.0
// Loads and stores with eviction priorities, cache policies and prefetches, as hand-tuned kernels write them.
// op: map/relu
// bind: R = 64, C = 256
// expect: accepted
//@ candidate relu
//@ launch relu grid(ceildiv(R*C, 4*256)) block(256) args(x, y, R*C)
__device__ __forceinline__ float4 load(const float4* p, unsigned long long policy) {
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.f32 {%0,%1,%2,%3}, [%4], %5;" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p), "l"(policy));
  return v;
}
extern "C" __global__ void relu(const float* x, float* y, int n) {
  unsigned long long policy, keep;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64 %0, 0.5;" : "=l"(keep));
  const int i = (blockIdx.x * 256 + threadIdx.x) * 4;
  if (i + 4 <= n) {
    asm volatile("prefetch.global.L2::evict_last [%0];" :: "l"(x + i));
    asm volatile("prefetch.global.L1 [%0];" :: "l"(x + i));
    float4 v = load(reinterpret_cast<const float4*>(x + i), policy);
    v.x = fmaxf(v.x, 0.0f); v.y = fmaxf(v.y, 0.0f); v.z = fmaxf(v.z, 0.0f); v.w = fmaxf(v.w, 0.0f);
    asm volatile("st.global.L1::no_allocate.L2::cache_hint.v4.f32 [%0], {%1,%2,%3,%4}, %5;" :: "l"(y + i), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "l"(keep) : "memory");
  } else {
    for (int k = i; k < n; ++k) {
      float f;
      asm volatile("ld.global.L1::evict_last.f32 %0, [%1];" : "=f"(f) : "l"(x + k));
      asm volatile("st.global.cs.f32 [%0], %1;" :: "l"(y + k), "f"(fmaxf(f, 0.0f)) : "memory");
    }
  }
}
