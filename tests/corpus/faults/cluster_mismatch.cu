// SPDX-License-Identifier: Apache-2.0
// Launched in clusters of another size than the kernel declares.
// op: map/relu
// bind: R = 64, C = 256
// cuda: stage=smoke fault=launch-refused
// simt: stage=compile|smoke
// extra: yes
//@ candidate relu
//@ launch relu grid(4 * ceildiv(R * C, 1024)) block(256) cluster(2) args(x, y, R * C)
extern "C" __global__ void __cluster_dims__(4, 1, 1) relu(const float* x, float* y, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i], 0.0f);
}
