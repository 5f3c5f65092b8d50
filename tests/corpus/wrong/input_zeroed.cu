// SPDX-License-Identifier: Apache-2.0
// Zeroing the input would make every answer easy.
// op: map/relu
// bind: R = 64, C = 256
// expect: stage=contract
//@ candidate relu
//@ zero x
//@ zero y
//@ launch relu grid(R) block(128) args(x, y, C)
extern "C" __global__ void relu(const float* x, float* y, int C) {}
