// SPDX-License-Identifier: Apache-2.0
// Four elements per thread, and a tail.
// op: map/add
// bind: R = 64, C = 256
// expect: accepted
//@ candidate add
//@ title Four elements per thread
//@ structure vectorised
//@ tune BLOCK = 256
//@ launch add4 grid(ceildiv(R * C, 4 * BLOCK)) block(BLOCK) args(a, b, z, R * C)
extern "C" __global__ void add4(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ z, int n) {
  const int i = 4 * (blockIdx.x * BLOCK + threadIdx.x);
  if (i + 3 < n) {
    const float4 p = *reinterpret_cast<const float4*>(a + i), q = *reinterpret_cast<const float4*>(b + i);
    *reinterpret_cast<float4*>(z + i) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
  } else {
    for (int k = i; k < n; ++k) z[k] = a[k] + b[k];
  }
}
