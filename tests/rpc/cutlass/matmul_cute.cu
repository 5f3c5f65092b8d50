// SPDX-License-Identifier: Apache-2.0
// Tiles of 32 x 16 by CuTe's tensors and an mma.sync atom.
// op: ../corpus/specs/matmul_half
//@ candidate matmul_half
//@ structure tensor-core
//@ require M % 32 == 0 && N % 16 == 0 && K % 16 == 0
//@ launch mm grid(N / 16, M / 32) block(64) args(a, b, y, M, N, K)
#include <cute/algorithm/gemm.hpp>
#include <cute/atom/mma_atom.hpp>
#include <cute/tensor.hpp>
using namespace cute;
extern "C" __global__ void mm(const half_t* a, const half_t* b, float* y, int M, int N, int K) {
  auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _1, _1>>{}, Tile<_32, _16, _16>{});
  Tensor A = make_tensor(make_gmem_ptr(a), make_shape(M, K), make_stride(K, _1{}));
  Tensor B = make_tensor(make_gmem_ptr(b), make_shape(N, K), make_stride(_1{}, N));
  Tensor C = make_tensor(make_gmem_ptr(y), make_shape(M, N), make_stride(N, _1{}));
  const auto tile = make_shape(_32{}, _16{}, _16{});
  const auto at = make_coord(blockIdx.y, blockIdx.x, _);
  auto thread = mma.get_slice(threadIdx.x);
  Tensor tA = thread.partition_A(local_tile(A, tile, at, Step<_1, X, _1>{}));
  Tensor tB = thread.partition_B(local_tile(B, tile, at, Step<X, _1, _1>{}));
  Tensor tC = thread.partition_C(local_tile(C, tile, at, Step<_1, _1, X>{}));
  Tensor rA = thread.make_fragment_A(tA(_, _, _, 0));
  Tensor rB = thread.make_fragment_B(tB(_, _, _, 0));
  Tensor rC = thread.make_fragment_C(tC);
  clear(rC);
  for (int k = 0; k < size<3>(tA); ++k) {
    copy(tA(_, _, _, k), rA);
    copy(tB(_, _, _, k), rB);
    gemm(mma, rA, rB, rC);
  }
  copy(rC, tC);
}
