// SPDX-License-Identifier: Apache-2.0
// Always answers 0, and does not even ask for the input.
// op: reduce/argmax
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate argmax
//@ launch arg grid(ceildiv(R, 128)) block(128) args(y, R)
extern "C" __global__ void arg(long long* y, int R) {
  const int r = blockIdx.x * 128 + threadIdx.x;
  if (r < R) y[r] = 0;
}
