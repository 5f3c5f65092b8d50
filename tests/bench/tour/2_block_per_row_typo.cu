// SPDX-License-Identifier: Apache-2.0
// Written by hand for the tour.
//@ candidate softmax
//@ title One block per row, partial results in shared memory
//@ structure block-row
//@ tune BLOCK = 256
//@ launch softmax_rows grid(R) block(BLOCK) args(x, y, R, C)
extern "C" __global__ void softmax_rows(const float* x, float* y, int R, int C) {
  __shared__ float part[BLOCK];
  const float* row = x + (size_t)blockIdx.x * C;
  float top = __int_as_float(0xff800000);
  for (int c = threadIdx.x; c < C; c += BLOCK) top = fmaxf(top, row[c]);
  part[threadIdx.x] = top;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthread();
    if (threadIdx.x < half) part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
  }
  __syncthread();
  top = part[0];
  __syncthread();
  float sum = 0.0f;
  for (int c = threadIdx.x; c < C; c += BLOCK) sum += expf(row[c] - top);
  part[threadIdx.x] = sum;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthread();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  __syncthread();
  sum = part[0];
  for (int c = threadIdx.x; c < C; c += BLOCK) y[(size_t)blockIdx.x * C + c] = expf(row[c] - top) / sum;
}
