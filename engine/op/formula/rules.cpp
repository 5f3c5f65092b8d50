// SPDX-License-Identifier: Apache-2.0
#include "op/formula/rules.h"
#include <algorithm>
#include "base/ascii.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op::formula {
namespace {

using phrases::split_list;
using PartKind = RulePart::Kind;

constexpr int deepest_group = 8;

std::vector<std::string> folded_words(std::string_view list) {
  std::vector<std::string> out;
  for (const std::string& w : split_list(list, '/')) out.push_back(phrases::fold(w));
  if (out.empty()) out.emplace_back("/");
  return out;
}

std::optional<PartKind> slot_kind(const std::string& part) {
  if (part == "{n}") return PartKind::number;
  if (part == "{shape}") return PartKind::shape;
  if (part == "{name}") return PartKind::name;
  if (part == "{ident}") return PartKind::ident;
  if (part == "{w}") return PartKind::any_word;
  if (part == "{size}") return PartKind::size;
  return std::nullopt;
}

}  // namespace

Result<RuleParts> Rules::parts_of(const std::string& words, const std::string& line) const {
  RuleParts out;
  for (std::string part : split_list(words, ' ')) {
    RulePart p;
    if (part.size() > 1 && part[0] == '?') {
      p.optional = true;
      part.erase(0, 1);
    }
    if (part.size() > 1 && part.back() == '*') {
      p.optional = p.repeated = true;
      part.pop_back();
    }
    const bool captured = part.size() > 4 && part.starts_with("{<");
    if (part == "^") {
      p.kind = PartKind::begin;
    } else if (part == "$") {
      p.kind = PartKind::end;
    } else if (part.starts_with("{with:")) {
      p.kind = PartKind::present;
      p.words = folded_words(std::string_view(part).substr(6, part.size() - 7));
    } else if (captured || (part.size() > 2 && part[0] == '<' && part.back() == '>')) {
      const auto found = names_.find(captured ? part.substr(2, part.size() - 4) : part.substr(1, part.size() - 2));
      if (found == names_.end()) return fail(Code::parse, "a rule names a group that does not exist: " + line);
      p.kind = PartKind::group;
      p.group = found->second;
      p.slot = captured;
    } else if (const auto kind = slot_kind(part)) {
      p.kind = *kind;
      p.slot = true;
    } else if (part[0] == '{') {
      p.words = {part};  // the sign
      if (part.size() > 1) return fail(Code::parse, "a rule has a slot that does not exist: " + line);
    } else {
      p.words = folded_words(part);
    }
    out.push_back(std::move(p));
  }
  return out;
}

Status Rules::add(const std::string& line) {
  const std::size_t colon = line.find(">:");
  if (line[0] == '<' && colon != std::string::npos) {
    names_[line.substr(1, colon - 1)] = groups_.size();
    groups_.emplace_back();
    for (const std::string& words : split_list(line.substr(colon + 2), '|')) {
      auto parts = WW_TRY(parts_of(words, line));
      for (RulePart& p : parts) p.slot = false;  // only a rule's own slots are numbered
      groups_.back().push_back(std::move(parts));
    }
    return {};
  }
  const std::size_t arrow = line.find(" =>");
  if (arrow == std::string::npos) return fail(Code::parse, "a rule of the phrasebook has no arrow: " + line);
  Rule rule;
  rule.parts = WW_TRY(parts_of(line.substr(0, arrow), line));
  rule.text = std::string(trimmed(std::string_view(line).substr(arrow + 3)));
  for (const auto& [mark, says] : {std::pair("inputs:", Rule::Says::inputs), std::pair("result:", Rule::Says::result)})
    if (rule.text.starts_with(mark)) {
      rule.says = says;
      rule.text = std::string(trimmed(std::string_view(rule.text).substr(std::string_view(mark).size())));
    }
  rules_.push_back(std::move(rule));
  return {};
}

bool Rules::first_words(const RuleParts& parts, std::vector<std::string>& out, int depth) const {
  if (depth > deepest_group) return false;
  for (const RulePart& p : parts) {
    if (p.kind == PartKind::begin || p.kind == PartKind::end || p.kind == PartKind::present) continue;
    if (p.kind == PartKind::group) {
      for (const RuleParts& alternative : groups_[p.group])
        if (!first_words(alternative, out, depth + 1)) return false;
    } else if (p.kind == PartKind::word) {
      out.insert(out.end(), p.words.begin(), p.words.end());
    } else {
      return false;
    }
    if (!p.optional) return true;
  }
  return false;  // all of it may be absent
}

void Rules::finish() {
  first_.clear();
  any_.clear();
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    std::vector<std::string> words;
    if (first_words(rules_[i].parts, words, 0)) {
      for (const std::string& w : words)
        if (auto& at = first_[w]; at.empty() || at.back() != i) at.push_back(i);
    } else {
      any_.push_back(i);
    }
  }
  for (auto& [word, list] : first_) {
    list.insert(list.end(), any_.begin(), any_.end());
    std::sort(list.begin(), list.end());
  }
}

std::vector<std::string> Rules::words() const {
  std::vector<std::string> out;
  const auto add = [&](const RuleParts& parts) {
    for (const RulePart& p : parts) out.insert(out.end(), p.words.begin(), p.words.end());
  };
  for (const Rule& r : rules_) add(r.parts);
  for (const auto& group : groups_)
    for (const RuleParts& parts : group) add(parts);
  return out;
}

const std::vector<std::uint32_t>& Rules::beginning_with(const std::string& word) const {
  const auto found = first_.find(word);
  return found == first_.end() ? any_ : found->second;
}

}  // namespace ww::op::formula
