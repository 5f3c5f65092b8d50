// SPDX-License-Identifier: Apache-2.0
// Tensor cores through wmma; claims multiples of 16 only.
// op: matmul_half.op
// expect: accepted
//@ candidate matmul_half
//@ structure tensor-core
//@ require M % 16 == 0 && N % 16 == 0 && K % 16 == 0
//@ launch mm grid(N / 16, M / 16) block(32) args(a, b, y, N, K)
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void mm(const __half* a, const __half* b, float* y, int N, int K) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * K + k, K);
    wmma::load_matrix_sync(fb, b + k * N + blockIdx.x * 16, N);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(y + blockIdx.y * 16 * N + blockIdx.x * 16, fc, N, wmma::mem_row_major);
}
