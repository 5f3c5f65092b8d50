// SPDX-License-Identifier: Apache-2.0
// A transposition through a swizzled tile in shared memory, by CuTe's layouts.
// op: transpose/transpose
//@ candidate transpose
//@ structure tiled-shared
//@ require R % 32 == 0 && C % 32 == 0
//@ launch tr grid(C / 32, R / 32) block(32, 8) args(x, y, R, C)
#include <cute/tensor.hpp>
using namespace cute;
extern "C" __global__ void tr(const float* x, float* y, int R, int C) {
  __shared__ float memory[32 * 32];
  Tensor X = make_tensor(make_gmem_ptr(x), make_shape(R, C), make_stride(C, _1{}));
  Tensor Y = make_tensor(make_gmem_ptr(y), make_shape(C, R), make_stride(R, _1{}));
  const auto tile = make_shape(_32{}, _32{});
  Tensor from = local_tile(X, tile, make_coord(blockIdx.y, blockIdx.x));
  Tensor to = local_tile(Y, tile, make_coord(blockIdx.x, blockIdx.y));
  const auto layout = composition(Swizzle<5, 0, 5>{}, Layout<Shape<_32, _32>, Stride<_32, _1>>{});
  Tensor shared = make_tensor(make_smem_ptr(memory), layout);
  const auto threads = make_layout(make_shape(_8{}, _32{}), make_stride(_32{}, _1{}));
  const int thread = threadIdx.y * 32 + threadIdx.x;
  copy(local_partition(from, threads, thread), local_partition(shared, threads, thread));
  __syncthreads();
  Tensor transposed = make_tensor(shared.data(), composition(Swizzle<5, 0, 5>{}, Layout<Shape<_32, _32>>{}));
  copy(local_partition(transposed, threads, thread), local_partition(to, threads, thread));
}
