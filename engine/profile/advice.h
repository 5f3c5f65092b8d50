// SPDX-License-Identifier: Apache-2.0
// Rules that turn numbers into advice. The rules are data: resources/rules/advice.json defines when each applies, on
// what evidence, and the largest possible gain. Advice never claims more than its numbers show: a rule with missing
// numbers does not apply, and the bound on its gain assumes that everything else stays the same. A rule may have
// several cases, one for simulated counts and one for hardware counters, so that the same problem has the same name
// wherever it is seen.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include "base/provenance.h"
#include "base/result.h"
#include "profile/cost_group.h"
#include "profile/occupancy.h"
#include "profile/section.h"

namespace ww::profile {

using Named = std::vector<std::pair<std::string, double>>;

struct AdviceInput {
  Provenance provenance = Provenance::unknown;  // of `values`: simulated or measured; unknown: there are none
  // Metrics by name, of the whole plan, simulated or measured. *Modelled* values are added if known:
  //   of the launch with the least occupancy: "occupancy" (0 to 1), "registers", "spill_bytes", "block_threads"
  //   of the plan: "plan_launches", "plan_blocks", "plan_warps", "plan_threads"; of the launch with most blocks, on a
  //   known GPU: "waves", "tail_waste" (0 to 1), "plan_most_blocks"
  //   of the op's case: "op_flops", "op_special_flops" (of the code of exp and the like), "op_bytes_read",
  //   "op_bytes_written", "op_intensity"; "multiprocessors";
  //   "simulated_cost", what `shares` are parts of;
  //   "floor_us" beside a measured "median_us": no bound promises more than their ratio
  Named values;
  CostShares shares;                         // of the simulated cost; empty: no bounds are given by group
  std::vector<std::pair<int, Named>> lines;  // metrics by line of the candidate's text; samples as "stall.<reason>"
  OccupancyLimit limiter = OccupancyLimit::unknown;
  std::string gpu;   // whose "multiprocessors" those are: "NVIDIA H200"
  std::string text;  // the candidate's, for rules that look at the source
};

struct Advice {
  std::string id, title;                        // "uncoalesced-loads", "A warp's loads touch more memory than they use"
  std::string evidence;                         // with the numbers and their provenance
  std::string explanation;                      // for learners: why it costs time, and what to do
  int line = 0;                                 // of the candidate's text: the hottest relevant line; 0: none
  double gain = 0;                              // *modelled* upper bound of the speed-up (1.25 = 25 %); 0: not known
  Provenance provenance = Provenance::unknown;  // of the evidence: simulated, measured or modelled
  Section section = Section::speed_of_light;    // the profile section that it belongs to
};

struct AdviceRule;

class AdviceRules {
 public:
  static Result<AdviceRules> load(
      const std::filesystem::path& file = {});                 // empty: resources_dir()/"rules/advice.json"
  static Result<AdviceRules> parse(const std::string& json);   // an error names the rule
  std::vector<Advice> advise(const AdviceInput& input) const;  // largest bound first, then in the file's order
  std::size_t size() const;
  std::vector<std::string> ids() const;  // in the file's order

 private:
  std::shared_ptr<const std::vector<AdviceRule>> rules_;
};

// A page on a rule for learners, in Markdown (resources/rules/advice/<id>.md): the problem, how to see it, what to do,
// an example. not_found: there is no page.
Result<std::string> advice_page(const std::string& id);
std::string advice_title(const std::string& id);  // of that page; the id in words if there is none

// The advice as a request for the next attempt: "Title. Evidence. Look at line 12. Explanation".
std::string advice_request(const Advice& advice);

// "1. Title. Evidence. (At most 1.25 times faster, modelled.) Line 12." – one paragraph each, at most `limit` of them;
// empty without advice.
std::string advice_sentences(const Advice& advice);  // one line: title, evidence, gain, line, explanation
std::string advice_text(const std::vector<Advice>& list, std::size_t limit);

}  // namespace ww::profile
