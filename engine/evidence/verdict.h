// SPDX-License-Identifier: Apache-2.0
// The gate's verdict on a candidate: one result per stage, and the coverage. Plain data, shared by devices, the gate,
// the worker's protocol, the store and the panels. JSON in verdict_json.h, sentences in describe.h.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "base/describe.h"
#include "compile/compile.h"
#include "base/fault.h"
#include "evidence/long_tensors.h"
#include "base/run_order.h"
#include "evidence/metrics.h"
#include "evidence/mutants.h"
#include "evidence/surroundings.h"
#include "op/inputs.h"
#include "op/precision.h"
#include "op/spec.h"
#include "ptx/reach.h"

namespace ww::evidence {

enum class Stage : std::uint8_t { contract, compile, smoke, cases, determinism, measure };
inline constexpr Stage all_stages[] = {Stage::contract, Stage::compile,     Stage::smoke,
                                       Stage::cases,    Stage::determinism, Stage::measure};
constexpr auto names_of(Stage) {
  using enum Stage;
  return std::to_array<Enumerator<Stage>>({{contract, "contract"},
                                           {compile, "compile"},
                                           {smoke, "smoke"},
                                           {cases, "cases"},
                                           {determinism, "determinism"},
                                           {measure, "measure"}});
}

enum class Outcome : std::uint8_t {
  passed,
  failed,  // the candidate is proved wrong
  skipped,
  not_judged,  // inconclusive: its failure names a fault that proves nothing (fault.h)
};
constexpr auto names_of(Outcome) {
  using enum Outcome;
  return std::to_array<Enumerator<Outcome>>(
      {{passed, "passed"}, {failed, "failed"}, {skipped, "skipped"}, {not_judged, "not judged"}});
}
constexpr bool ends_judgement(Outcome o) { return o == Outcome::failed || o == Outcome::not_judged; }

// The result of a judgement. A candidate that is neither proved nor disproved is not judged.
enum class Ruling : std::uint8_t { not_judged, rejected, accepted };
constexpr auto names_of(Ruling) {
  using enum Ruling;
  return std::to_array<Enumerator<Ruling>>(
      {{not_judged, "not judged"}, {rejected, "rejected"}, {accepted, "accepted"}});
}

// The shapes at which an accepted candidate is proved.
enum class ProvedAt : std::uint8_t {
  unknown,  // also if it is not accepted
  asked_shape,
  smaller_shapes,  // the default case is too large for the device: only smaller ones were run and counted
};
constexpr auto names_of(ProvedAt) {
  using enum ProvedAt;
  return std::to_array<Enumerator<ProvedAt>>(
      {{unknown, "unknown"}, {asked_shape, "asked shape"}, {smaller_shapes, "smaller shapes"}});
}

enum class SkipReason : std::uint8_t { unknown, not_reached, not_requested, not_measurable };
constexpr auto names_of(SkipReason) {
  using enum SkipReason;
  return std::to_array<Enumerator<SkipReason>>({{unknown, "unknown"},
                                                {not_reached, "not reached"},
                                                {not_requested, "not requested"},
                                                {not_measurable, "not measurable"}});
}

// Whether the same inputs give the same bits, with blocks in another order and different poison.
enum class Reproducibility : std::uint8_t {
  unknown,
  bitwise,
  within_bound,  // reals differed, each within its error bound: Proof::varying
  not_compared,  // correct both times, but the outputs are too large to be compared bit by bit
};
constexpr auto names_of(Reproducibility) {
  using enum Reproducibility;
  return std::to_array<Enumerator<Reproducibility>>(
      {{unknown, "unknown"}, {bitwise, "bitwise"}, {within_bound, "within bound"}, {not_compared, "not compared"}});
}

// partly: in some runs, or for some of the memory
enum class CheckCoverage : std::uint8_t { unknown, no, partly, yes };
constexpr auto names_of(CheckCoverage) {
  using enum CheckCoverage;
  return std::to_array<Enumerator<CheckCoverage>>({{unknown, "unknown"}, {no, "no"}, {partly, "partly"}, {yes, "yes"}});
}

struct Checks {                                           // which errors were checked for
  CheckCoverage bounds = CheckCoverage::unknown;          // accesses outside the candidate's tensors
  CheckCoverage alignment = CheckCoverage::unknown;       // accesses at addresses that are not a multiple of their size
  CheckCoverage initialisation = CheckCoverage::unknown;  // reads of uninitialised memory
  CheckCoverage races = CheckCoverage::unknown;           // unordered conflicting accesses
  bool operator==(const Checks&) const = default;

  WW_FIELDS(Checks, (bounds, "accesses outside the candidate's tensors"), (alignment, "misaligned accesses"),
            (initialisation, "reads of uninitialised memory"), races)
};

struct ElementCounts {            // of outputs, summed over input sets
  std::int64_t compared = 0;      // with the reference, against a finite error bound
  std::int64_t unproved = 0;      // without a finite error bound: any value passes
  std::int64_t not_compared = 0;  // not checked
  std::int64_t total() const { return compared + unproved + not_compared; }
  bool operator==(const ElementCounts&) const = default;

  WW_FIELDS(ElementCounts, (compared, "within a finite error bound"),
            (unproved, "their error bound is not finite: any value passes"), not_compared)
};

struct Varying {  // an output that differed when repeated
  std::string tensor;
  std::int64_t count = 0, total = 0;  // elements

  WW_FIELDS(Varying, tensor, count, total)
};

struct UncheckedIn {  // of an output, in the input sets of one distribution of a case
  std::string case_name;
  op::Distribution distribution = op::Distribution::normal;
  std::int64_t count = 0, total = 0;  // elements
  bool whole() const { return count == total; }
  bool operator==(const UncheckedIn&) const = default;

  WW_FIELDS(UncheckedIn, ((case, case_name)), (distribution, "of the inputs"),
            (count, "elements without a finite error bound"), total)
};

struct Unchecked {  // of an output: elements without a finite error bound
  std::string tensor;
  std::int64_t count = 0, total = 0;     // elements, over all input sets
  std::vector<std::string> whole_cases;  // with no element that was checked, in any of their input sets
  std::vector<UncheckedIn> where;        // the largest shares first, at most `most_unchecked_listed`
  int unlisted = 0;                      // further pairs of case and distribution
  bool operator==(const Unchecked&) const = default;

  WW_FIELDS(Unchecked, tensor, (count, "elements without a finite error bound, over all input sets"), total,
            (whole_cases, "cases of which no element was checked in any input set", sparse),
            (where, "cases and distributions that have some, the largest shares first; at most 12", sparse),
            (unlisted, "further pairs of case and distribution", sparse))
};
inline constexpr std::size_t most_unchecked_listed = 12;

struct AlsoJudged {  // on another device, for what the first cannot show
  std::string device;
  Ruling ruling = Ruling::not_judged;
  std::string summary;  // one sentence
  std::string secret;
  Checks checks;
  std::optional<Surroundings> surroundings;

  WW_FIELDS(AlsoJudged, device, ruling, (summary, "for readers"), (secret, "without it: unknown", sparse), checks,
            (surroundings, sparse))
};

struct Loss {  // of an output: what a strict bound would not let pass (op/precision.h)
  std::string tensor;
  std::int64_t count = 0;  // elements, over all input sets
  double ulps = 0;         // of the worst
  bool operator==(const Loss&) const = default;

  WW_FIELDS(Loss, tensor, (count, "elements, over all input sets"), (ulps, "by which the worst is off"))
};

struct Masked {  // elements of an output that are not compared, as every element of their lines is masked
  std::string tensor;
  std::int64_t count = 0, total = 0;  // over the input sets that mask elements
  bool operator==(const Masked&) const = default;

  WW_FIELDS(Masked, tensor, (count, "elements that are not compared"),
            (total, "of the input sets in which some are masked"))
};

struct TriedSizes {  // of a symbol, over all runs that came out right
  std::string symbol;
  std::int64_t least = 0, most = 0;
  int different = 0;  // values
  bool operator==(const TriedSizes&) const = default;

  WW_FIELDS(TriedSizes, symbol, least, most, (different, "values that were tried"))
};

struct Tried {  // shapes that came out right, those of cases that are not in the coverage included
  int shapes = 0, unlisted = 0;
  std::vector<TriedSizes> sizes;  // in the order of the spec's symbols
  bool operator==(const Tried&) const = default;

  WW_FIELDS(Tried, (shapes, "different sizes and constants"),
            (unlisted, "of them in cases that the coverage leaves out"), (sizes, "by symbol", sparse))
};

struct Reached {
  std::vector<ptx::Missed> missed;  // by all runs; ascending by line
  bool operator==(const Reached&) const = default;

  WW_FIELDS(Reached, (missed, "lines that no case executed, and conditions that came out the same in all"))
};

struct SizeBranches {  // conditions of the program that follow from sizes and constants alone
  int all = 0;
  std::vector<int> untried;  // lines of the candidate with one that came out the same in every case, though it need not
  bool operator==(const SizeBranches&) const = default;

  WW_FIELDS(SizeBranches, (all, "conditions that follow from sizes and constants alone"),
            (untried, "lines with one that came out the same in every case, though it need not", sparse))
};

// The coverage of the judgement. Values missing from a verdict (of an older version, or of a worker that died) are
// unknown, never the favourable answer.
struct Proof {
  std::string compiler;  // "NVRTC 13.0"; empty: unknown
  bool compiler_cached = false;
  std::string host_references;  // why references were evaluated on the host instead of the device; empty: they were not
  std::string smoke_case;
  std::string secret;  // the seed of inputs, poison, addresses, identities and orders; empty: unknown
  std::optional<ElementCounts> elements;  // in the stage `cases`
  Reproducibility reproducibility = Reproducibility::unknown;
  std::vector<Varying> varying;
  Checks checks;
  std::optional<Reached> reach;             // of an accepted candidate, over all its cases; empty: unknown
  std::optional<SizeBranches> branches;     // of an accepted candidate; empty: unknown
  std::optional<MutantCounts> mutants;      // of the spec, killed by the claimed cases; empty: unknown
  std::optional<LongTensors> long_tensors;  // empty: unknown
  op::Precision precision = op::Precision::usual;
  std::vector<Loss> losses;  // of usual precision
  std::vector<Masked> masked;
  std::vector<Unchecked> unchecked;
  std::optional<Tried> tried;                // empty: unknown
  std::optional<Surroundings> surroundings;  // empty: unknown
  std::optional<AlsoJudged> also;            // of an acceptance

  WW_FIELDS(
      Proof, (compiler, sparse), (compiler_cached, sparse), (host_references, sparse), (smoke_case, sparse),
      (secret,
       "16 hexadecimal digits that inputs, poison, addresses, identities and orders were drawn from ('check --secret' "
       "repeats the judgement); without it: unknown",
       sparse),
      (elements, "of outputs, over all input sets; without it: unknown", sparse), reproducibility, (varying, sparse),
      (precision,
       "usual: near zero, functions may lose what careful practice loses; strict: nothing beyond their own rounding",
       sparse),
      (losses, "outputs that strict precision would not let pass", sparse),
      (masked,
       "outputs of which lines were not compared, as -infinity masks them entirely and the spec leaves them open",
       sparse),
      (unchecked, "outputs with elements that no error bound limits", sparse), checks,
      (tried, "sizes of all runs, quick and longer cases included; without it: unknown", sparse),
      (surroundings, "what was varied from run to run; without it: unknown", sparse),
      (also, "the judgement on another device when it was accepted", sparse),
      (reach, "of an accepted candidate, over all cases; without it: unknown", sparse),
      (branches, "of an accepted candidate, over all cases; without it: unknown", sparse),
      (mutants, "of the spec, killed by the inputs of the claimed cases; without it: unknown", sparse),
      (long_tensors,
       "offsets in long tensors; without it: unknown. Unless they are right, the verdict holds for tensors of at most "
       "`proved` elements, or 2147483647 where that is unknown",
       sparse))
};

struct Case {
  std::string name;  // "default", "odd", "prime", "ones", "ragged", "tiny", …
  op::Binding binding;
};

struct FailingElement {
  std::string tensor;
  std::vector<std::int64_t> index;    // row-major subscripts
  double expected = 0, actual = 0;    // integers exactly representable up to 2^53
  double tolerance = 0;               // absolute
  double error_ulps = 0;              // of the output's dtype
  std::int64_t wrong = 0, total = 0;  // elements outside tolerance, and all elements
  bool unwritten = false;             // `actual` and `error_ulps` are those of what lay there before

  WW_FIELDS(FailingElement, tensor, index, expected, actual, (tolerance, "absolute"), error_ulps, wrong, total,
            (unwritten, "never written: actual and error_ulps are those of what lay there before", sparse))
};

struct Failure {
  std::string case_name;  // empty: not specific to a case
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  std::optional<FailingElement> element;
  std::optional<Fault> fault;
  DependsOn depends_on = DependsOn::unknown;  // a wrong result

  WW_FIELDS(Failure, ((case, case_name), sparse), (binding, sparse), (distribution, "of the inputs"), seed,
            (element, "the worst wrong one", sparse), (fault, sparse),
            (depends_on,
             "what the wrong result follows, as runs of the same inputs in other orders show; without it: unknown",
             sparse))
};

struct StageResult {
  Stage stage = Stage::contract;
  Outcome outcome = Outcome::skipped;
  std::string message;  // one plain sentence; see describe.h if the stage passed
  std::string detail;   // compiler log or similar; may be empty
  std::optional<Failure> failure;
  double seconds = 0;
  SkipReason skipped = SkipReason::unknown;  // if skipped

  WW_FIELDS(StageResult, stage, outcome, (message, "one plain sentence"), (detail, "compiler log or the like", sparse),
            (skipped, "why it was skipped", sparse), seconds, (failure, sparse))
};

struct CaseCoverage {
  std::string case_name;
  op::Binding binding;
  bool claimed = true;  // false: a "require" excludes it
  int seeds = 0;        // input sets proved

  WW_FIELDS(CaseCoverage, ((case, case_name)), binding, (claimed, "false: a `require` line excludes it"),
            (seeds, "input sets proved"))
};

struct CaseCounts {
  int proved = 0;  // claimed, and computed correctly
  int all = 0;     // derived from the spec
  bool operator==(const CaseCounts&) const = default;
  bool partial() const { return proved < all; }  // nothing is known about the other cases

  WW_FIELDS(CaseCounts, proved, all)
};

struct Verdict {
  std::string candidate;  // hash
  std::string spec;       // hash_hex of the op spec's text used for the judgement; empty: unknown
  std::string device;
  bool accepted = false;            // every stage up to determinism passed, and measure did not fail
  std::vector<StageResult> stages;  // in order, up to the one that ended the judgement, then skipped ones
  std::vector<CaseCoverage> coverage;
  Proof proof;
  std::vector<compile::KernelResources> resources;
  std::string ptx;
  std::optional<Metrics> metrics;  // of the default case; set when the measure stage ran
  double seconds = 0;
  Ruling ruling() const;
  std::optional<Stage> failed_stage() const;  // if rejected
  const StageResult* last_stage() const;      // the one that ended the judgement; null: none
  FaultKind last_fault() const;               // of that stage; unknown: none
  ProvedAt proved_at() const;
  std::optional<CaseCounts> case_counts() const;  // if accepted
  std::string summary() const;  // "proved: 6 cases x 5 seeds", "rejected at smoke: …", "not judged at …"

  WW_FIELDS(Verdict, (candidate, "hash"), (spec, "hash of the op spec's text; without it: unknown", sparse), device,
            (accepted, "every stage up to determinism passed, and measuring it did not fail"),
            (ruling, "follows from the stages; not read back"), (summary, "for readers; not read back"), seconds,
            (stages, "in order, up to the first that ended the judgement, then skipped ones"), (coverage, "one a case"),
            (proof, "what was tried"), (resources, "one a kernel"), (ptx, sparse),
            (metrics, "of the default case, where it was counted or timed", sparse))
};

}  // namespace ww::evidence

namespace ww::gate {
using namespace evidence;  // the gate uses these types throughout
}
