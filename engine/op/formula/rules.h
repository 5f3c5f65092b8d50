// SPDX-License-Identifier: Apache-2.0
// Rules that put other words in place of a sentence's own: one line of rewrites.txt or frames.txt each.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
#include "base/result.h"

namespace ww::op::formula {

// One part of a rule's words, as resources/phrasebook/rewrites.txt describes them.
struct RulePart {
  enum class Kind : std::uint8_t { word, begin, end, present, number, shape, name, ident, any_word, size, group };
  Kind kind = Kind::word;
  bool optional = false, repeated = false, slot = false;
  std::size_t group = 0;           // Kind::group
  std::vector<std::string> words;  // Kind::word, Kind::present: folded, one of these
};
using RuleParts = std::vector<RulePart>;

struct Rule {
  RuleParts parts;
  // What the words say of tensors: nothing, that they are the inputs, or what the result looks like.
  enum class Says : std::uint8_t { words, inputs, result };
  Says says = Says::words;
  std::string text;  // with $1, $2, ... for the slots
};

class Rules {
 public:
  // "<name>: words | words", or "words => other words". A group is used behind its line, or within it.
  Status add(const std::string& line);
  void finish();  // behind the last line

  const std::vector<Rule>& rules() const { return rules_; }
  const std::vector<RuleParts>& group(std::size_t i) const { return groups_[i]; }
  std::vector<std::string> words() const;  // folded, of all rules and groups
  // The rules that may begin with this folded word, in the order of their lines; those that begin with a slot always.
  const std::vector<std::uint32_t>& beginning_with(const std::string& word) const;

 private:
  Result<RuleParts> parts_of(const std::string& words, const std::string& line) const;
  // Adds the words that parts may begin with; false: any word may.
  bool first_words(const RuleParts& parts, std::vector<std::string>& out, int depth) const;

  std::vector<Rule> rules_;
  std::vector<std::vector<RuleParts>> groups_;
  std::map<std::string, std::size_t> names_;
  std::unordered_map<std::string, std::vector<std::uint32_t>> first_;
  std::vector<std::uint32_t> any_;
};

}  // namespace ww::op::formula
