// SPDX-License-Identifier: Apache-2.0
// Seconds that the reference takes, with and without bounds: the gate's cost of being right.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include "op/evaluate.h"
#include "op/inputs.h"
#include "op/parse.h"

using namespace ww;
using namespace ww::op;

namespace {

double seconds(const Spec& spec, const std::map<std::string, HostTensor>& inputs, bool bounds) {
  EvaluateOptions options;
  options.bounds = bounds;
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const auto start = std::chrono::steady_clock::now();
    const auto r = evaluate(spec, {}, inputs, options);
    if (!r) {
      std::printf("%s: %s\n", spec.name.c_str(), r.error().text().c_str());
      return -1;
    }
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

int main() {
  const char* const specs[] = {
      "op matmul_1024(a: f32[N, N], b: f32[N, N]) -> y: f32[N, N]\n default N = 1024 { y[i, j] = sum(k) a[i, k] * b[k, "
      "j] }",
      "op layernorm_4096x1024(x: f32[R, C], g: f32[C], b: f32[C]; eps = 1e-5) -> y: f32[R, C]\n default R = 4096, C = "
      "1024\n"
      "{ m[r] = sum(c) x[r, c] / C v[r] = sum(c) (x[r, c] - m[r])^2 / C y[r, c] = (x[r, c] - m[r]) * rsqrt(v[r] + eps) "
      "* g[c] + b[c] }",
      "op softmax_4096x1024(x: f32[R, C]) -> y: f32[R, C]\n default R = 4096, C = 1024\n"
      "{ m[r] = max(c) x[r, c] e[r, c] = exp(x[r, c] - m[r]) z[r] = sum(c) e[r, c] y[r, c] = e[r, c] / z[r] }",
      "op silu_4m(x: f32[N]) -> y: f32[N]\n default N = 4194304 { y[i] = x[i] / (1 + exp(-x[i])) }",
      "op axpy_4m(x: f32[N], z: f32[N]) -> y: f32[N]\n default N = 4194304 { y[i] = 2.0 * x[i] + z[i] }",
      "op cumsum_4096x1024(x: f32[R, C]) -> y: f32[R, C]\n default R = 4096, C = 1024 { y[r, c] = sum(j in 0..c + 1) "
      "x[r, j] }",
      "op conv(x: f32[N, C, H, H], w: f32[K, C, 3, 3]) -> y: f32[N, K, H, H]\n default N = 4, C = 32, H = 56, K = 64\n"
      "{ y[n, k, p, q] = sum(c, r, s) pad(x[n, c, p + r - 1, q + s - 1], 0) * w[k, c, r, s] }"};
  std::printf("%-22s %12s %12s\n", "op", "values (s)", "bounds (s)");
  for (const char* text : specs) {
    const auto spec = parse_spec(text);
    if (!spec) {
      std::printf("%s\n", spec.error().text().c_str());
      return 1;
    }
    std::map<std::string, HostTensor> inputs;
    for (std::size_t i = 0; i < spec->inputs.size(); ++i) {
      const Param& p = spec->inputs[i];
      HostTensor& t = inputs[p.name];
      t.dtype = p.dtype;
      t.shape = *shape_of(*spec, p, {});
      t.bytes.resize(static_cast<std::size_t>(element_count(t.shape)) * dtype_size(p.dtype));
      fill_input(Distribution::normal, 1, static_cast<int>(i), p.dtype, {}, element_count(t.shape), t.bytes.data());
    }
    std::printf("%-22s %12.3f %12.3f\n", spec->name.c_str(), seconds(*spec, inputs, false),
                seconds(*spec, inputs, true));
  }
}
