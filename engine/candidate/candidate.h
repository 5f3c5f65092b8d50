// SPDX-License-Identifier: Apache-2.0
// A candidate: device code and a declarative launch plan in "//@" directives. Immutable, identified by the hash of its
// text.
//
//   //@ candidate OPNAME               Required, first.
//   //@ title WORDS                    One line for readers (optional).
//   //@ structure WORD                 What kind of kernel: "row-warp", "tiled-shared", … (optional; ranking counts
//                                      distinct ones).
//   //@ tune NAME = INT | INT …        Reaches the code as -DNAME=value; one value: pinned. NAME has two letters or
//                                      more: one would break the template parameters of NVIDIA's headers.
//   //@ temp NAME: DTYPE[EXPR, …]      A scratch tensor, poisoned before the first launch; one element if no brackets.
//   //@ zero NAME                      The temp or output NAME is filled with zero bytes before the first launch.
//   //@ launch KERNEL grid(X[,Y[,Z]]) block(X[,Y[,Z]]) [shared(BYTES)] [cluster(X[,Y[,Z]])] [cooperative]
//              [carveout(PERCENT)] args(A, …)
//                                      On one line. carveout: how much of the on-chip memory should be shared memory
//                                      and not L1 cache, 0 to 100: a hint to the hardware. Without it the driver
//                                      chooses.
//   //@ require COND                   Limits the cases it claims.
//   //@ option fast-math | maxrregcount=N
//                                      Compiler options; nothing else is accepted.
//
// EXPR, COND: op::parse_integer_expr over shape symbols, integer constants and tune names; all integer.
// An argument is a tensor name (input, output, temp: passed as a pointer), a shape symbol, a constant, or an integer
// EXPR. Launches run in order; each sees the writes of those before it.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "op/parse.h"
#include "op/spec.h"

namespace ww::candidate {

enum class Language : std::uint8_t { cuda, ptx };
constexpr auto names_of(Language) {
  return std::to_array<Enumerator<Language>>({{Language::cuda, "cuda"}, {Language::ptx, "ptx"}});
}

struct TuneAxis {
  std::string name;
  std::vector<std::int64_t> values;
  Span span;  // of the values in the text
};

struct Temp {
  std::string name;
  DType dtype = DType::f32;
  std::vector<op::ExprPtr> shape;
};

struct Launch {
  std::string kernel;
  std::array<op::ExprPtr, 3> grid, block, cluster;  // null: 1
  op::ExprPtr shared;                               // dynamic shared memory in bytes; null: 0
  bool cooperative = false;
  op::ExprPtr carveout;           // per cent; null: the driver's choice
  std::vector<op::ExprPtr> args;  // a lone name refers to a tensor, symbol or constant
  Span span;
};

struct Candidate {
  std::string op, title, structure;
  Language language = Language::cuda;
  std::vector<TuneAxis> tune;
  std::vector<Temp> temps;
  std::vector<std::string> zeroed;
  std::vector<Launch> launches;
  std::vector<op::ExprPtr> requires_;
  std::vector<std::string> options;
  std::string text;  // the whole file, header included
  std::string hash;  // hash_hex of the language's name and the text
};

// The op named by a text's "//@ candidate" line; empty if there is none. The rest of the text is not read.
std::string named_op(std::string_view text);
Language language_of(std::string_view text);  // PTX where a line begins with its version or target

std::string_view language_name(Language language);  // "cuda", "ptx"
Result<Language> language_from_name(std::string_view name);

// Errors: the first diagnostic's sentence; cause: all diagnostics, rendered with carets. The text must be UTF-8 without
// NUL bytes, of at most max_text bytes.
inline constexpr std::size_t max_text = std::size_t{1} << 20;  // bytes
Result<Candidate> parse(std::string_view text, Language language, std::string_view name = "candidate");

using Tuning = std::map<std::string, std::int64_t>;

// The first value of every axis; every combination (at most `limit`, spread evenly over all if there are more).
Tuning first_tuning(const Candidate& candidate);
std::vector<Tuning> tunings(const Candidate& candidate, std::size_t limit);
// The candidate with each "tune" line reduced to one value: a separate candidate with its own hash.
Result<Candidate> pin(const Candidate& candidate, const Tuning& tuning);

// The launches of one case.
struct PlannedArg {
  enum class Kind : std::uint8_t { tensor, integer, real } kind = Kind::integer;
  std::string tensor;
  std::int64_t integer = 0;
  double real = 0;  // of an integer: the same value, for a kernel that declares the parameter as a floating-point type
};
struct PlannedLaunch {
  std::string kernel;
  std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::uint64_t shared_bytes = 0;  // dynamic
  bool cooperative = false;
  std::vector<PlannedArg> args;
  int carveout = -1;  // per cent; -1: the driver's choice
};
struct PlannedTensor {
  std::string name;
  DType dtype = DType::f32;
  std::int64_t count = 0;  // elements
  bool zeroed = false;
};
struct Plan {
  std::vector<PlannedTensor> temps;
  std::vector<std::string> zeroed_outputs;
  std::vector<PlannedLaunch> launches;
};

// Whether the candidate claims this case (every "require" holds). Fails if an expression cannot be evaluated.
Result<bool> claims(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding, const Tuning& tuning);
// Whether each comparison of the "require" lines holds, which argument each min and max of the plan's expressions
// selects, and the value of each condition, in order; empty if there are none.
Result<std::vector<std::int64_t>> plan_choices(const Candidate& candidate, const op::Spec& spec,
                                               const op::Binding& binding, const Tuning& tuning);
// Checks every number against CUDA's limits (block ≤ 1024 threads and 1024x1024x64, grid ≤ 2^31-1 x 65535 x 65535,
// shared ≤ 227 KB). A grid dimension of 0 is an error that names the expression and its value.
Result<Plan> plan(const Candidate& candidate, const op::Spec& spec, const op::Binding& binding, const Tuning& tuning);
// The contract check, before compilation: names are known, every output and every input that one is computed from is an
// argument of some launch, the op's name matches.
Status check_contract(const Candidate& candidate, const op::Spec& spec);

}  // namespace ww::candidate
