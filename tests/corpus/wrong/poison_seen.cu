// SPDX-License-Identifier: Apache-2.0
// Looks at what the output held before, where the shape is large: right the first time.
// op: map/relu
// bind: R = 256, C = 512
// expect: stage=cases|determinism tensor=y
//@ candidate relu
//@ launch relu grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)
extern "C" __global__ void relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n) return;
  float v = fmaxf(x[i], 0.0f);
  if (n == 131072 && (reinterpret_cast<const unsigned char*>(y)[4 * i] & 0x0f) == 5) v += 1.0f;
  y[i] = v;
}
