// SPDX-License-Identifier: Apache-2.0
// Kernels that are stepped through in tests and figures: products, one by mma.sync, a race, a loop with divergence,
// warp shuffles; and two that cost a recording much.
#pragma once
#include <string>
#include <vector>

namespace ww::test {

inline constexpr const char* naive =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (i >= N || j >= N) return;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];\n"
    "  y[i * N + j] = sum;\n"
    "}\n";
inline constexpr const char* tiled =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  __shared__ float as[16][16], bs[16][16];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int j = blockIdx.x * 16 + tx, i = blockIdx.y * 16 + ty;\n"
    "  float sum = 0;\n"
    "  for (int k0 = 0; k0 < N; k0 += 16) {\n"
    "    as[ty][tx] = i < N && k0 + tx < N ? a[i * N + k0 + tx] : 0.0f;\n"
    "    bs[ty][tx] = j < N && k0 + ty < N ? b[(k0 + ty) * N + j] : 0.0f;\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < N && j < N) y[i * N + j] = sum;\n"
    "}\n";
inline constexpr const char* racy =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  __shared__ float part[64];\n"
    "  const int t = threadIdx.x;\n"
    "  float s = 0;\n"
    "  for (int c = t; c < C; c += 64) s += x[blockIdx.x * C + c];\n"
    "  part[t] = s;\n"
    "  if (t < 32) s += part[t + 32];\n"
    "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);\n"
    "  if (t == 0) y[blockIdx.x] = s;\n"
    "}\n";
inline constexpr const char* divergent =
    "//@ candidate relu\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float* x, float* y, int C) {\n"
    "  const int t = threadIdx.x;\n"
    "#pragma unroll 1\n"
    "  for (int c = C - 1 - t; c >= 0; c -= 32) {\n"
    "#pragma unroll 1\n"
    "    for (int k = 0; k < t % 5; ++k) __nanosleep(k);\n"
    "    const float v = x[blockIdx.x * C + c];\n"
    "    if (v > 0) y[blockIdx.x * C + c] = v; else y[blockIdx.x * C + c] = 0;\n"
    "  }\n"
    "}\n";
inline constexpr const char* shuffles =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  float s = 0;\n"
    "  for (int c = threadIdx.x; c < C; c += 32) s += x[blockIdx.x * C + c];\n"
    "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);\n"
    "  if (threadIdx.x == 0) y[blockIdx.x] = s;\n"
    "}\n";
// A tile of 16 x 8 for each warp, by mma.sync; the lanes' parts of the matrices are those of the PTX ISA.
inline constexpr const char* tensor_core =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 8), ceildiv(N, 16)) block(32) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  const int g = threadIdx.x / 4, q = threadIdx.x % 4, i = blockIdx.y * 16 + g, j = blockIdx.x * 8;\n"
    "  const auto at = [&](const float* m, int r, int c) {\n"
    "    return r < N && c < N ? __float_as_uint(m[r * N + c]) : 0u;\n"
    "  };\n"
    "  float d[4] = {0, 0, 0, 0};\n"
    "#pragma unroll 1\n"
    "  for (int k = q; k < N + q; k += 8)\n"
    "    asm volatile(\n"
    "        \"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, \"\n"
    "        \"{%0, %1, %2, %3};\"\n"
    "        : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
    "        : \"r\"(at(a, i, k)), \"r\"(at(a, i + 8, k)), \"r\"(at(a, i, k + 4)), \"r\"(at(a, i + 8, k + 4)),\n"
    "          \"r\"(at(b, k, j + g)), \"r\"(at(b, k + 4, j + g)));\n"
    "  for (int n = 0; n < 4; ++n) {\n"
    "    const int r = i + n / 2 * 8, c = j + 2 * q + n % 2;\n"
    "    if (r < N && c < N) y[r * N + c] = d[n];\n"
    "  }\n"
    "}\n";
// A full block with much state: 1,024 threads, two tiles in shared memory, a loop that is unrolled.
inline constexpr const char* full_block =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 32), ceildiv(N, 32)) block(32, 32) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  __shared__ float as[32][33], bs[32][33];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int j = blockIdx.x * 32 + tx, i = blockIdx.y * 32 + ty;\n"
    "  float sum = 0;\n"
    "  for (int k0 = 0; k0 < N; k0 += 32) {\n"
    "    as[ty][tx] = i < N && k0 + tx < N ? a[i * N + k0 + tx] : 0.0f;\n"
    "    bs[ty][tx] = j < N && k0 + ty < N ? b[(k0 + ty) * N + j] : 0.0f;\n"
    "    __syncthreads();\n"
    "#pragma unroll\n"
    "    for (int k = 0; k < 32; ++k) sum += as[ty][k] * bs[k][tx];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < N && j < N) y[i * N + j] = sum;\n"
    "}\n";
// Hardly more than writes, 512 bytes each.
inline constexpr const char* wide_writes =
    "//@ candidate relu\n"
    "//@ require C % 512 == 0\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float4* x, float4* y, int C) {\n"
    "  x += blockIdx.x * (C / 4) + threadIdx.x;\n"
    "  y += blockIdx.x * (C / 4) + threadIdx.x;\n"
    "#pragma unroll 1\n"
    "  for (int n = 0; n < 8; ++n)\n"
    "#pragma unroll 4\n"
    "    for (int c = 0; c < C / 4; c += 32) {\n"
    "      const float4 v = x[c];\n"
    "      y[c] = make_float4(fmaxf(v.x, 0), fmaxf(v.y, 0), fmaxf(v.z, 0), fmaxf(v.w, 0));\n"
    "    }\n"
    "}\n";
struct SteppedKernel {
  const char* name;
  std::string text, sizes, large;  // large: with more than a million steps
};
inline const std::vector<SteppedKernel>& stepped_kernels() {
  static const std::vector<SteppedKernel> all{{"naive product", naive, "N = 20", "N = 192"},
                                              {"tiled product", tiled, "N = 20", "N = 192"},
                                              {"race", racy, "R = 2, C = 70", "R = 2200, C = 2048"},
                                              {"divergent loop", divergent, "R = 2, C = 70", "R = 600, C = 2048"},
                                              {"warp shuffles", shuffles, "R = 2, C = 70", "R = 1400, C = 4096"},
                                              {"tensor core", tensor_core, "N = 20", "N = 320"}};
  return all;
}
inline const std::vector<SteppedKernel>& costly_kernels() {
  static const std::vector<SteppedKernel> all{{"full block", full_block, "N = 40", "N = 224"},
                                              {"wide writes", wide_writes, "R = 2, C = 512", "R = 1024, C = 4096"}};
  return all;
}

}  // namespace ww::test
