// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/brackets.h"
#include <algorithm>
#include <vector>

namespace ww::op {
namespace {

// "max(x, )", "add(, y)"; but (128,) and (d,) are shapes.
bool lacks_argument(std::string_view text) {
  int depth = 0;
  std::vector<bool> calls;        // per open bracket: preceded by a name
  char before = ' ', last = ' ';  // the two preceding characters other than spaces
  for (const char c : text) {
    if (c == ' ') continue;
    const bool size = (before >= '0' && before <= '9') || (before >= 'A' && before <= 'Z');  // (256,), (D,)
    if (c == '(' || c == '[') {
      ++depth;
      calls.push_back((last >= 'a' && last <= 'z') || (last >= 'A' && last <= 'Z') || (last >= '0' && last <= '9'));
    }
    const bool tuple = (c == ')' || c == ']') && !calls.empty() && !calls.back();
    if (c == ')' || c == ']') {
      --depth;
      if (!calls.empty()) calls.pop_back();
    }
    if (tuple && last == ',' && before != ',' && before != '(') {
      before = last;
      last = c;
      continue;
    }
    if (c == ',' && depth > 0 && (last == '(' || last == '[' || last == ',')) return true;
    if ((c == ')' || c == ']') && last == ',' && !size) return true;
    before = last;
    last = c;
  }
  return false;
}

}  // namespace

std::optional<std::string> brackets_problem(std::string_view sentence) {
  const auto count = [&](char c) { return std::count(sentence.begin(), sentence.end(), c); };
  if (count('(') != count(')') || count('[') != count(']')) return "A bracket is not closed, or closes nothing.";
  if (lacks_argument(sentence)) return "Something is missing beside a comma in brackets.";
  return std::nullopt;
}

}  // namespace ww::op
