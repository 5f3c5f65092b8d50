// SPDX-License-Identifier: Apache-2.0
// Whole groups of four only; what is left over is never written.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=smoke tensor=y
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 1024)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (4 * i + 3 < n) {
    const float4 v = reinterpret_cast<const float4*>(x)[i];
    reinterpret_cast<float4*>(y)[i] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));
  }
}
