// SPDX-License-Identifier: Apache-2.0
// Written by hand for the tour.
//@ candidate softmax
//@ title Maximum and sum in one pass, four elements for each load
//@ structure online-vec4
//@ tune BLOCK = 256
//@ launch softmax_rows grid(R) block(BLOCK) args(x, y, R, C)
//@ require C % 4 == 0
// The sum is kept relative to the maximum so far and rescaled when that grows (Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018).
extern "C" __global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int R, int C) {
  __shared__ float tops[BLOCK / 32], sums[BLOCK / 32];
  const float low = -3.0e38f;
  const float4* row = reinterpret_cast<const float4*>(x + (size_t)blockIdx.x * C);
  float4* out = reinterpret_cast<float4*>(y + (size_t)blockIdx.x * C);
  const int n = C / 4, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float top = low, sum = 0.0f;
  for (int c = threadIdx.x; c < n; c += BLOCK) {
    const float4 v = row[c];
    const float next = fmaxf(top, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
    sum = sum * expf(top - next) + expf(v.x - next) + expf(v.y - next) + expf(v.z - next) + expf(v.w - next);
    top = next;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, top, step), others = __shfl_xor_sync(0xffffffffu, sum, step);
    const float next = fmaxf(top, other);
    sum = sum * expf(top - next) + others * expf(other - next);
    top = next;
  }
  if (lane == 0) {
    tops[warp] = top;
    sums[warp] = sum;
  }
  __syncthreads();
  top = low;
  for (int w = 0; w < BLOCK / 32; ++w) top = fmaxf(top, tops[w]);
  sum = 0.0f;
  for (int w = 0; w < BLOCK / 32; ++w) sum += sums[w] * expf(tops[w] - top);
  const float scale = 1.0f / sum;
  for (int c = threadIdx.x; c < n; c += BLOCK) {
    const float4 v = row[c];
    out[c] = make_float4(expf(v.x - top) * scale, expf(v.y - top) * scale, expf(v.z - top) * scale, expf(v.w - top) * scale);
  }
}
