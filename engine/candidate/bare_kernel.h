// SPDX-License-Identifier: Apache-2.0
// CUDA kernels without a launch plan, and the plan that their signatures and the op suggest.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "base/dtype.h"
#include "op/spec.h"

namespace ww::candidate {

struct KernelParameter {
  std::string type, name;                  // as written: "const float*", "x"; the name may be empty
  bool pointer = false, constant = false;  // constant: read-only through this pointer
  std::optional<DType> dtype;              // of the value or of the pointer's target; empty: another type
};
struct BareKernel {
  std::string name;
  std::vector<KernelParameter> parameters;
  std::optional<std::int64_t> most_threads;  // of __launch_bounds__, if it is a number
  bool extern_c = false, is_template = false;
  bool dynamic_shared = false;  // the text declares an extern __shared__ array
  std::size_t at = 0;           // offset of __global__
};
// The text with comments and strings blanked out, so that offsets do not change.
std::string code_only(std::string_view text);
// In text order; kernels that are only declared are left out.
std::vector<BareKernel> bare_kernels(std::string_view cuda);

// guessed: from order or convention, to be confirmed by the user
enum class Source : std::uint8_t { unknown, guessed, known };
struct Suggested {
  std::string text;  // of an expression; empty: unknown
  Source source = Source::unknown;
};
struct SuggestedLaunch {
  std::string kernel;
  Suggested grid, block;
  Suggested shared;             // known and empty: none needed
  std::vector<Suggested> args;  // one per parameter
  bool complete() const;        // nothing is unknown
};
SuggestedLaunch suggest_launch(const BareKernel& kernel, std::string_view cuda, const op::Spec& spec);

// "//@ candidate OP" and one launch per kernel; unknown parts are "?".
std::string plan_lines(const op::Spec& spec, const std::vector<SuggestedLaunch>& launches);
// The text preceded by these lines, with the kernel declared extern "C" so that it can be found by name.
std::string with_plan_lines(std::string_view cuda, const op::Spec& spec, const BareKernel& kernel,
                            const SuggestedLaunch& launch);
// For a text without "//@ candidate": the suggested lines for its kernels, and what the user has to complete. Empty: it
// has no kernel that could be launched by name.
std::string plan_advice(std::string_view cuda, const op::Spec& spec);

}  // namespace ww::candidate
