// SPDX-License-Identifier: Apache-2.0
// A block per row, dynamic shared memory.
// op: normalize/softmax
// bind: R = 64, C = 256
// expect: accepted
//@ candidate softmax
//@ structure row-block
//@ launch softmax grid(R) block(128) shared(4 * 128) args(x, y, C)
#include <cmath>
extern "C" __global__ void softmax(const float* x, float* y, int C) {
  extern __shared__ float s[];
  const float* row = x + blockIdx.x * C;
  const int t = threadIdx.x;
  float top = -INFINITY;
  for (int c = t; c < C; c += 128) top = fmaxf(top, row[c]);
  s[t] = top;
  __syncthreads();
  for (int m = 64; m > 0; m /= 2) {
    if (t < m) s[t] = fmaxf(s[t], s[t + m]);
    __syncthreads();
  }
  top = s[0];
  __syncthreads();
  float z = 0;
  for (int c = t; c < C; c += 128) z += expf(row[c] - top);
  s[t] = z;
  __syncthreads();
  for (int m = 64; m > 0; m /= 2) {
    if (t < m) s[t] += s[t + m];
    __syncthreads();
  }
  z = s[0];
  for (int c = t; c < C; c += 128) y[blockIdx.x * C + c] = expf(row[c] - top) / z;
}
