// SPDX-License-Identifier: Apache-2.0
// The kernels of `warpwright-cli sim bench`.
extern "C" __global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
extern "C" __global__ void mm_naive(const float* a, const float* b, float* c, int n) {
  int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; k++) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
extern "C" __global__ void mm_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float left[16][16], right[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int t = 0; t < n / 16; t++) {
    left[ty][tx] = a[row * n + t * 16 + tx];
    right[ty][tx] = b[(t * 16 + ty) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }
  c[row * n + column] = sum;
}
extern "C" __global__ void softmax(const float* x, float* y, int n) {
  __shared__ float part[256];
  int row = blockIdx.x, t = threadIdx.x;
  const float* p = x + row * n;
  float most = -1e30f;
  for (int i = t; i < n; i += 256) most = fmaxf(most, p[i]);
  part[t] = most;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) part[t] = fmaxf(part[t], part[t + s]);
    __syncthreads();
  }
  most = part[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < n; i += 256) sum += expf(p[i] - most);
  part[t] = sum;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  float inverse = 1.0f / part[0];
  for (int i = t; i < n; i += 256) y[row * n + i] = expf(p[i] - most) * inverse;
}
