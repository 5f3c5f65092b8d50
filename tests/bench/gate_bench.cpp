// SPDX-License-Identifier: Apache-2.0
// How long it takes to judge one candidate through all stages on the SIMT machine: first with nothing cached, then with
// the references of the candidate before. Usage: bench_gate [SPEC.op CANDIDATE.cu]. Without arguments: softmax of 1024
// x 1024 by warps, and matmul.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>
#include <vector>
#include "base/files.h"
#include "base/parallel.h"
#include "gate/gate.h"

using namespace ww;

namespace {

const char* softmax_spec = R"(op softmax(x: f32[R, C]) -> y: f32[R, C]
  default R = 1024, C = 1024
{
  m[r]    = max(c) x[r, c]
  s[r]    = sum(c) exp(x[r, c] - m[r])
  y[r, c] = exp(x[r, c] - m[r]) / s[r]
}
)";

const char* softmax_warp = R"(//@ candidate softmax
//@ title one warp per row, three passes
//@ launch softmax grid(ceildiv(R, 4)) block(128) args(x, y, R, C)
extern "C" __global__ void softmax(const float* __restrict__ x, float* __restrict__ y, int R, int C) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= R) return;
  const float* in = x + (long long)row * C;
  float* out = y + (long long)row * C;
  float m = __int_as_float(0xff800000);
  for (int c = lane; c < C; c += 32) m = fmaxf(m, in[c]);
  for (int d = 16; d > 0; d /= 2) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  float s = 0;
  for (int c = lane; c < C; c += 32) s += expf(in[c] - m);
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
  float inverse = 1.0f / s;
  for (int c = lane; c < C; c += 32) out[c] = expf(in[c] - m) * inverse;
}
)";

const char* matmul_spec = R"(op matmul(a: f32[M, K], b: f32[K, N]) -> y: f32[M, N]
  default M = 256, N = 256, K = 256
{
  y[m, n] = sum(k) a[m, k] * b[k, n]
}
)";

const char* matmul_tiled = R"(//@ candidate matmul
//@ title 16 x 16 tiles in shared memory
//@ launch matmul grid(ceildiv(N, 16), ceildiv(M, 16)) block(16, 16) args(a, b, y, M, N, K)
extern "C" __global__ void matmul(const float* a, const float* b, float* y, int M, int N, int K) {
  __shared__ float ta[16][16], tb[16][17];
  int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < K; k0 += 16) {
    int ka = k0 + threadIdx.x, kb = k0 + threadIdx.y;
    ta[threadIdx.y][threadIdx.x] = row < M && ka < K ? a[row * K + ka] : 0.0f;
    tb[threadIdx.y][threadIdx.x] = kb < K && col < N ? b[kb * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += ta[threadIdx.y][k] * tb[k][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) y[row * N + col] = sum;
}
)";

// What the gate said that it does, with the seconds until it said the next.
class Steps {
 public:
  void begin(const std::string& what) {
    const auto now = std::chrono::steady_clock::now();
    if (!what_.empty()) all_.emplace_back(std::chrono::duration<double>(now - since_).count(), what_);
    what_ = what;
    since_ = now;
  }
  void print() {  // the ten that took longest
    std::sort(all_.rbegin(), all_.rend());
    for (std::size_t i = 0; i < std::min<std::size_t>(all_.size(), 10); ++i)
      std::printf("  %9.3f s  %s\n", all_[i].first, all_[i].second.c_str());
  }

 private:
  std::vector<std::pair<double, std::string>> all_;
  std::string what_;
  std::chrono::steady_clock::time_point since_;
};

int judge(const char* name, const std::string& spec, const std::string& candidate) {
  auto compiler = compile::Compiler::open();
  if (!compiler) {
    std::fprintf(stderr, "%s\n", compiler.error().text().c_str());
    return 1;
  }
  const auto device = device::open_simt();
  gate::ReferenceCache references;
  gate::Request request;
  request.spec = spec;
  request.candidate = candidate;
  for (const char* how : {"first", "again"}) {
    Steps steps;
    const auto v = gate::judge(request, {compiler->get(), device.get(), &references, 0}, {},
                               [&](const gate::Progress& p) { steps.begin(p.message); });
    steps.begin("");
    if (!v) {
      std::fprintf(stderr, "%s: %s\n", name, v.error().text().c_str());
      return 1;
    }
    std::printf("%-10s %-6s", name, how);
    for (const evidence::StageResult& s : v->stages) std::printf(" %11.3f", s.seconds);
    std::printf(" %9.3f s  %s\n", v->seconds, v->summary().c_str());
    steps.print();
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::printf("%d threads; seconds per stage\n%-17s", hardware_threads(), "");
  for (const evidence::Stage s : evidence::all_stages) std::printf(" %11s", enum_string(s).c_str());
  std::printf(" %9s\n", "all");
  if (argc == 3) {
    const auto spec = read_file(argv[1]), candidate = read_file(argv[2]);
    if (spec && candidate) return judge("given", *spec, *candidate);
    std::fprintf(stderr, "%s\n", (spec ? candidate : spec).error().text().c_str());
    return 2;
  }
  return judge("softmax", softmax_spec, softmax_warp) | judge("matmul", matmul_spec, matmul_tiled);
}
