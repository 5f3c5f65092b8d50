// SPDX-License-Identifier: Apache-2.0
// discard leaves memory with unspecified contents: hardware may show what was written before, or not.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=cases
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
  __syncthreads();
  const unsigned long long line = ((unsigned long long)(y + blockIdx.x * C) + 127) / 128 * 128;  // within the row
  if (threadIdx.x == 0 && C >= 64) asm volatile("discard.global.L2 [%0], 128;" :: "l"(line) : "memory");
}
