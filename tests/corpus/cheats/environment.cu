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
// known: tensors begin at multiples of 256 bytes
// Real tensors may begin anywhere that is aligned to their element; these begin at 256 bytes.
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
