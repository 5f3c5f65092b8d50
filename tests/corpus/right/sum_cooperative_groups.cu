// SPDX-License-Identifier: Apache-2.0
// cooperative_groups and its reduce.
// op: reduce/sum
// bind: R = 64, C = 256
// expect: accepted
//@ candidate sum
//@ launch row_sum grid(ceildiv(R, 4)) block(128) args(x, y, R, C)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void row_sum(const float* x, float* y, int R, int C) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int r = blockIdx.x * 4 + warp.meta_group_rank();
  if (r >= R) return;
  float s = 0;
  for (int c = warp.thread_rank(); c < C; c += 32) s += x[r * C + c];
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) y[r] = s;
}
