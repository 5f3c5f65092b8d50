// SPDX-License-Identifier: Apache-2.0
// What the reader of arithmetic in words works with: pieces of formulas, decisions and the phrases of a sentence.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "op/formula/reading.h"

namespace ww::op::formula::prose {

// How tightly a text holds together: of a sum, a product, a power, one name or call.
enum Level { sum_level, product_level, power_level, whole_level };

struct Part {
  std::string text;
  Level level = whole_level;
  std::optional<double> number;  // its value
  bool name = false;
  bool raised = false;  // ends in "squared"
  bool joined = false;  // holds an infix
  bool share = false;   // "20 percent", without what it is of
};
using MaybePart = std::optional<Part>;

inline std::string wrapped(const Part& p, Level least) { return p.level < least ? "(" + p.text + ")" : p.text; }

// Decisions in the order in which they come up: those written down, then the first way.
class Script {
 public:
  bool decide() {
    if (at_ == taken_.size()) taken_.push_back(false);
    return taken_[at_++];
  }
  void rewind() { at_ = 0; }
  // The next script in order; false after the last.
  bool advance() {
    taken_.resize(at_);
    while (!taken_.empty() && taken_.back()) taken_.pop_back();
    if (taken_.empty()) return false;
    taken_.back() = true;
    return true;
  }

 private:
  std::vector<bool> taken_;
  std::size_t at_ = 0;
};

struct Deeper {
  explicit Deeper(int& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;
  int& depth_;
};

struct ProsePhrase {
  std::string_view value;
  std::size_t end = 0;
  explicit operator bool() const { return end > 0; }
};
// For each token the phrases that begin there, with their kind, the longest of a kind last.
using ProsePhrases = std::vector<std::vector<std::pair<std::string_view, ProsePhrase>>>;
ProsePhrases phrases_of(const Tables& tables, const std::vector<TextToken>& tokens);

// A formula with "$" for what it is applied to.
Part put(std::string_view formula, const Part& p);

}  // namespace ww::op::formula::prose
