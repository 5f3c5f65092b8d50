// SPDX-License-Identifier: Apache-2.0
// An instruction for the tensor cores of sm_90 that the machine does not execute.
// op: map/relu
// bind: R = 64, C = 256
// arch: sm_90a
// expect: stage=smoke fault=unsupported
//@ candidate relu
//@ launch relu grid(R) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = fmaxf(x[blockIdx.x * C + c], 0.0f);
}
