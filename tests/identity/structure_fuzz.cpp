// SPDX-License-Identifier: Apache-2.0
// libFuzzer: any two texts as kernels that are compared in structure, and as PTX of a program. A NUL byte divides them.
#include "candidate/candidate.h"
#include "identity/program.h"
#include "identity/structure.h"
#include "support/fuzz.h"

using namespace ww;

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  fuzz::seeds(*argc, *argv, [] {
    using namespace std::string_literals;
    return fuzz::Seeds{fuzz::source_file("tests/corpus/right/relu.ptx") + "\0//@ candidate relu\n"s,
                       "//@ tune BLOCK = 1 | 2\n__shared__ float s[4]; for (;;) __syncthreads(); asm(\"mma.sync\");\0"
                       "float4 v = __ldg(p); atomicAdd(p, 1); /* // */ if (x) goto end;"s};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::view(data, size);
  const std::size_t cut = std::min(text.find('\0'), size);
  const identity::Shape a = identity::shape_of(text.substr(0, cut), "tiled"),
                        b = identity::shape_of(text.substr(std::min(cut + 1, size)), "");
  const double d = identity::distance(a, b);
  fuzz::require(d >= 0 && d <= 1 && d == identity::distance(b, a) && identity::distance(a, a) == 0);
  static const auto spec =
      op::parse_spec("op relu(x: f32[N]) -> y: f32[N]\n default N = 64\n{ y[i] = max(x[i], 0) }\n").value();
  static const auto relu =
      candidate::parse(fuzz::source_file("tests/corpus/right/relu.ptx"), candidate::Language::ptx).value();
  const std::string id = identity::program_identity(relu, spec, {{"default", {}}}, text.substr(0, cut));
  fuzz::require(id.empty() || id.size() == 64);
  return 0;
}
