// SPDX-License-Identifier: Apache-2.0
// Written by hand for the tour.
//@ candidate softmax
//@ title The row stays in registers: read once, written once
//@ structure registers-vec4
//@ tune BLOCK = 256
//@ tune ITEMS = 4
//@ launch softmax_rows grid(R) block(BLOCK) args(x, y, R, C)
//@ require C % 4 == 0 && C <= 4*BLOCK*ITEMS
extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int R, int C) {
  __shared__ float part[BLOCK / 32];
  const float low = -3.0e38f;
  const float4* row = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * C);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * C);
  const int n = C / 4, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 v[ITEMS];
  float top = low;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int c = i * BLOCK + threadIdx.x;
    v[i] = c < n ? row[c] : make_float4(low, low, low, low);
    top = fmaxf(top, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
  }
  for (int step = 16; step > 0; step /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, step));
  if (lane == 0) part[warp] = top;
  __syncthreads();
  for (int w = 0; w < BLOCK / 32; ++w) top = fmaxf(top, part[w]);
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    v[i] = make_float4(expf(v[i].x - top), expf(v[i].y - top), expf(v[i].z - top), expf(v[i].w - top));
    sum += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
  __syncthreads();
  if (lane == 0) part[warp] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < BLOCK / 32; ++w) sum += part[w];
  const float scale = 1.0f / sum;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int c = i * BLOCK + threadIdx.x;
    if (c < n) out[c] = make_float4(v[i].x * scale, v[i].y * scale, v[i].z * scale, v[i].w * scale);
  }
}
