// SPDX-License-Identifier: Apache-2.0
// Rules that turn numbers into advice. The rules are data: resources/rules/advice.json says when each applies, on what evidence, and what could be gained at the most.
// An advice never says more than its numbers do: a rule whose numbers are missing is silent, and the bound of its gain assumes that everything else stays as it is.
#pragma once
#include <filesystem>
#include <string>
#include <utility>
#include <vector>
#include "base/result.h"

namespace ww::profile {

using Named = std::vector<std::pair<std::string, double>>;

struct AdviceInput {
  std::string provenance;          // of `values`: "simulated", "measured"
  Named values;                    // metrics by name, of the whole plan; with "occupancy" (0 to 1, *modelled*), "registers", "spill_bytes", "block_threads" where known
  Named shares;                    // of the simulated cost, by group ("global memory": 0.6); empty: no bounds are given
  std::vector<std::pair<int, Named>> lines;  // metrics by line of the candidate's text
  std::string limiter;             // of occupancy: "registers", "shared memory", …
  std::string text;                // the candidate's, for rules that look at the source
};

struct Advice {
  std::string id, title;           // "uncoalesced-loads", "Loads of a warp touch more memory than they use"
  std::string evidence;            // with the numbers and their provenance
  std::string explanation;         // for a learner: why it costs, what to do
  int line = 0;                    // of the candidate's text: the hottest one of what the rule is about; 0: none
  double gain = 0;                 // *modelled* upper bound of the speed-up (1.25 = 25 %); 0: not known
};

class AdviceRules {
 public:
  static Result<AdviceRules> load(const std::filesystem::path& file = {});   // empty: resources_dir()/"rules/advice.json"
  static Result<AdviceRules> parse(const std::string& json);                // an error names the rule
  std::vector<Advice> advise(const AdviceInput& input) const;               // largest bound first, then in the file's order
  std::size_t size() const { return rules_.size(); }

 private:
  struct Quantity {                // sum of values, over a sum of values
    std::vector<std::pair<std::string, double>> sum, per;   // name, factor
  };
  struct Condition {
    Quantity quantity;
    bool above = true;
    double limit = 0;
  };
  struct Rule {
    std::string id, title, evidence, explanation, line, group;
    std::vector<std::string> applies;    // provenances; empty: any
    std::vector<Condition> when;         // all hold; the first one's value is {0} in the evidence, and so on
    std::vector<std::string> has, lacks; // in the text
    double ideal = 0;                    // of the first quantity: what it would be without the fault
  };
  std::vector<Rule> rules_;
};

// "1. Title. Evidence. (At most 1.25 times faster, modelled.) Line 12." – one paragraph each, at most `limit` of them; empty without advice.
std::string advice_text(const std::vector<Advice>& list, std::size_t limit);

}  // namespace ww::profile
