// SPDX-License-Identifier: Apache-2.0
// One judgement, with the state shared by its stages. Each stage has its own file; gate.cpp runs them in order.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>
#include "evidence/case_kind.h"
#include "gate/branches.h"
#include "gate/cases.h"
#include "gate/covered.h"
#include "gate/distributions.h"
#include "gate/gate.h"
#include "gate/limits.h"
#include "gate/runner.h"
#include "gate/secret.h"

namespace ww::gate {

struct JudgedCase {
  Case what;
  candidate::Plan plan;
  double work = 0;
  int ordinal = 0;        // among the claimed cases
  int seeds = 0;          // to run
  bool main = false;      // the default or reduced case, which is repeated and counted
  bool resident = false;  // its inputs and reference are generated in device memory
};

// A loaded module of the candidate with the plan of a case, and its number of runs. Created by the first run, which
// bears its cost.
struct LoadedCase {
  const device::Module* module = nullptr;  // null: the module under judgement
  std::optional<Trial> trial;
  int runs = 0;
};

// The candidate's program for another architecture, or with other tuned values.
struct OtherProgram {
  std::string how;  // "compiled for sm_90", "with BLOCK = 128"
  std::shared_ptr<const device::Module> module;
  candidate::Tuning tuning;
};

// Limit on the output bytes read from a device for bitwise comparison when repeated.
inline constexpr double most_kept = 2e9;

class Judge {
 public:
  Judge(const Request& request, const Services& services, std::stop_token stop, const ProgressHandler& progress)
      : request_(request), services_(services), stop_(stop), progress_(progress) {}
  Result<Verdict> run();

 private:
  // The stages.
  Status contract();
  Status compile();
  Status smoke();
  Status cases();
  // Repeats the same inputs in the same module: blocks and warps from last to first (before: in ascending order, as
  // scheduled on host threads), over other poison. Either this run or the previous one is counted.
  Status determinism();
  // Runs other cases in the module of the main case, then the main case again, to reveal state kept between calls.
  Status calls_in_turn();
  // If the module has variables, further calls with nearly identical inputs: reveals an answer cached for part of the
  // inputs, or for their sum.
  Status nearly_same_calls(std::vector<const JudgedCase*> cases);
  // A small (not tiny) case with many inputs of the kind that value-keyed code singles out.
  Status keyed_inputs();
  // A claimed case of little work whose sizes are powers of four, so that scores of equal powers of two, and their
  // product with the root of a size, are exact. Null: none.
  Result<std::optional<JudgedCase>> even_case();
  Status saturated_counts();  // where elements are counted: all of them, none
  // Elements of every binade; rows and tensors of every magnitude.
  Status every_binade(const JudgedCase& c);
  Status every_scale(const JudgedCase& c);
  struct Turns {  // of sets that belong together (op/inputs.h)
    int first = 0, step = 1, count = 0;
  };
  Status in_turns(const JudgedCase& c, op::Distribution d, int number, const Turns& turns);
  // Rows of one huge number, of each sign. A kernel may lose them altogether, as one that folds log2(e) into exponents
  // does, but then those of both signs: one that begins a maximum with too large a number loses those of one, in every
  // turn beyond it.
  Status level_rows(const JudgedCase& c);
  // If the program rounds integers or, on a device that knows what ran, a line or condition went one way in every case:
  // two longer ones, since code keyed on a hash of an index may need many elements.
  Status longer_cases();
  bool went_one_way() const;
  op::Binding with_remainders(op::Binding of, const std::string& symbol);
  std::optional<JudgedCase> longer_case(const std::string& symbol);
  // Many quick cases of one input set (gate/residues.h).
  Status residue_sizes();
  // Adds input sets that kill mutants of the spec which the usual sets miss, and counts the killed ones.
  Status further_sets();
  // Cases with tensors of more than 2^32 elements: only their ends have memory, and only the last blocks run.
  Status long_tensors();
  Result<evidence::LongTensors> try_long_tensors(const std::string& symbol);
  Result<evidence::LongTensors> try_long_tensors(const std::string& symbol, std::int64_t elements);
  Status measure();

  // On hardware, a launch that does not end loses the device. Runs a long case of few warps at an eighth of its length
  // first, which must be right, too: whether the case would time out if its time grew with the square of the length.
  Result<bool> would_take_too_long(const JudgedCase& c);

  // Not judged if too many elements of an output have no finite error bound.
  Status limit_unchecked();

  // Marks the stage as failed (or not judged, if the fault proves nothing); a stage function returns this.
  Status reject(std::string message, std::string detail = {});
  // Sets the fault kind of a stage that already has its message.
  void blame(FaultKind kind);
  void report(std::string message, double fraction) {
    if (progress_) progress_({result_.stage, std::move(message), fraction});
  }

  struct AllCases {
    std::vector<Case> cases;
    std::size_t derived = 0;   // number of cases derived only from the spec; they come first
    std::string no_reference;  // why the device cannot generate one; empty: it can
  };
  Result<AllCases> all_cases();
  Status choose_cases();
  // Adds cases with sizes that the program compares with, once it is known.
  Status add_compared_cases();
  void put_main_last();
  // Prepares a claimed case, or refuses it.
  Status add_case(const Case& c, bool reduced, const std::string& no_reference);
  Status refuse_case(const Case& c, const Error& error, std::optional<FaultKind> fault = {});

  CaseCoverage& coverage_of(const JudgedCase& c);
  // Proved cases other than the main one: a random one, the last one with other constants, the one with the same sizes,
  // and the one with the least work.
  std::vector<const JudgedCase*> small_others();
  // Handles a failed case: if a secondary one ran out of budget, it is unproved, and the others continue.
  bool left_unproved(const JudgedCase& c);

  // On a device that accepts any architecture, also briefly judges the programs for other architectures.
  Status load_others(const ww::compile::Request& request);
  Status load_other(ww::compile::Request request, const std::string& architecture);
  // A few other combinations of tuned values, which users may choose: the smallest and the main case.
  Status other_tunings();
  Result<std::optional<OtherProgram>> load_tuning(const candidate::Tuning& tuning);
  std::string kernel_names() const;

  // The inputs of a case with their reference. An op whose subscripts depend on values may be undefined for some
  // distributions: `set` then becomes a normal one.
  Result<Inputs> inputs_for(const JudgedCase& c, InputSet& set);
  op::Distribution distribution(const JudgedCase& c, int set) const {
    // Sums of ones are exact, however long.
    if (set == 1 && c.what.name.starts_with(evidence::case_names::branching)) return op::Distribution::constant;
    // With the ends of their ranges.
    if (!c.resident && set == 0 && is_long(c.what) && takes_indices(spec_)) return op::Distribution::pixels;
    if (!c.resident && c.seeds < 3 && set == 1 && large_) return *large_;
    if (!c.resident && c.seeds > 2)
      if (const auto wanted = of_last_sets(c, c.seeds - 1 - set)) return *wanted;
    return distribution_for(distributions(c), c.ordinal, set, c.seeds);
  }
  // What one of a case's last sets has in place of its turn: the main case's what large cases need, it and that of
  // powers a set whose tensors begin with one number, and the main one a set with masked elements. `later`: how many
  // follow.
  std::optional<op::Distribution> of_last_sets(const JudgedCase& c, int later) const {
    if (c.main && large_ && later == 0) return *large_;
    const int set = c.seeds - 1 - later, last = c.main && large_ ? 1 : 0;
    const bool begins = c.main ? set > 1 : c.what.name == evidence::case_names::powers && set > 2;
    if (begins && later == last) return op::Distribution::leading;
    return c.main && masks_ && set > 1 && later == last + 1 ? std::optional(op::Distribution::masked) : std::nullopt;
  }
  std::vector<op::Distribution> distributions(const JudgedCase& c) const {
    return distributions_for(spec_, !c.resident, !planted_.empty());
  }
  InputSet input_set(const JudgedCase& c, op::Distribution distribution, int number) const;
  // The limits of a run, and its secret parameters: the tensors' addresses and initial contents, and the kernel's
  // environment.
  RunOptions options_for(const JudgedCase& c, RunOptions options = {});
  Result<RunOutcome> run_in(LoadedCase& loaded, const JudgedCase& c, const Inputs& inputs, const RunOptions& options);
  // Runs one input set; a wrong result fails the stage. Null if it failed. `keep`: receives the inputs, or already has
  // them.
  Result<std::optional<RunOutcome>> run_one(const JudgedCase& c, LoadedCase& loaded, InputSet set, RunOptions options,
                                            Inputs* keep = nullptr);
  // After a run that the device's reference rejects: compares the same outputs with the host's reference.
  Status check_on_host(Trial& trial, const InputSet& set, const RunOptions& options, RunOutcome& outcome);
  void note_loss(const evidence::Loss& loss);
  void note_masked(const Reference& reference);
  // What a wrong result depends on: repeats the same inputs over the same garbage, each in a freshly loaded module.
  // Uses the SIMT machine if the device cannot choose an order.
  Result<DependsOn> dependence_of(const JudgedCase& c, const Inputs& inputs, const RunOptions& options,
                                  const std::optional<FailingElement>& element, bool later_call);
  // The last write to the element in the same run; empty: none, or the device does not know.
  Result<std::optional<WriteSite>> writer_of(const JudgedCase& c, const Inputs& inputs, RunOptions options,
                                             const FailingElement& element);
  bool keep_outputs_of(const JudgedCase& c) const { return output_bytes(spec_, c.what.binding) <= most_kept; }
  // The device is lost, and it is unknown whether this candidate caused it.
  bool lost(const Error& error) const { return error.code != Code::cancelled && !services_.device->usable(); }
  static RunOutcome lost_outcome(const Error& error);
  Status lose_device(const Error& error);  // ends the stage as inconclusive
  // For a timed launch: the kernel's own fault, described by the error, destroyed the context.
  static RunOutcome timed_outcome(const Error& error);
  // Fails the stage.
  void wrong(const JudgedCase& c, const InputSet& set, RunOutcome outcome, const Inputs& inputs = {});
  // Replays a hardware fault on the SIMT machine, which names the line.
  void place_fault(const InputSet& set, Fault& fault, std::string& detail);

  // Programs that the device does not support, and unclaimed cases, are not judged.
  Status run_other(const OtherProgram& other, const JudgedCase& c, const std::vector<op::Distribution>& all,
                   int& number);
  // On real hardware: timed, counted, and the outputs of the timed launches verified.
  Status time_and_count();
  bool counts() const { return request_.measure && !measures(); }
  bool counts_early() const { return counts() && secret_.draw(Secret::Use::counted) % 2 == 0; }
  bool measures() const { return services_.device->facts().measures && services_.resident; }

  const Request& request_;
  const Services& services_;
  const std::stop_token stop_;
  const ProgressHandler& progress_;
  Secret secret_{0};
  op::Spec spec_;
  std::optional<op::Distribution> large_;  // large_distribution(spec_)
  bool masks_ = false;                     // there are masked_inputs(spec_)
  candidate::Candidate candidate_;
  candidate::Tuning tuning_;
  std::vector<JudgedCase> cases_;  // claimed ones; the main case comes last
  std::shared_ptr<const device::Module> module_;
  std::map<std::string, CheckedElements> checked_;  // per output
  TriedShapes tried_;
  ElementCounts elements_;  // over all outputs and sets
  ww::compile::Output output_;
  std::vector<double> planted_;                            // constants that its program compares with
  std::vector<OtherProgram> others_;                       // those that differ
  std::set<std::map<std::string, std::string>> programs_;  // normalised entries of those that were compiled
  bool one_by_one_ = false;                                // Limits::one_by_one
  bool undisturbed_ = false;                               // a run lacked memory for its cold cache or concurrent work
  std::uint64_t runs_ = 0;
  LoadedCase main_;
  Inputs main_inputs_;
  Outputs main_outputs_;
  device::Counts main_counts_;
  ptx::Reach reach_;                    // of all successful runs of the module under judgement
  std::unique_ptr<Branches> branches_;  // of its program
  StageResult result_;
  Verdict verdict_;
};

}  // namespace ww::gate
