// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/plain_signs.h"
#include <algorithm>
#include <array>

namespace ww::op {
namespace {

struct Sign {
  std::string_view written, plain;
};
constexpr auto signs = std::to_array<Sign>({
    {"−", "-"},          {"∗", "*"},          {"÷", "/"},          {"∕", "/"},          {"≠", "!="},
    {"∙", "·"},          {"•", "·"},          {"µ", "μ"},          {"，", ", "},        {"、", ", "},
    {"；", "; "},        {"：", ": "},        {"。", ". "},        {"（", " ("},        {"）", ") "},
    {"［", "["},         {"］", "]"},         {"＋", "+"},         {"－", "-"},         {"＝", "="},
    {"＊", "*"},         {"／", "/"},         {"′", "'"},          {"’(", "'("},        {"ŷ", "yhat"},
    {"y\u0302", "yhat"}, {"x\u0302", "xhat"}, {"p\u0302", "phat"}, {"x\u0304", "xbar"}, {"ȳ", "ybar"},
    {"y\u0304", "ybar"}, {"⇒", "->"},         {"⟹", "->"},         {"⟶", "->"},         {"➜", "->"},
    {"➔", "->"},         {"➡", "->"},         {"⟼", "->"},         {"↦", "->"},
});

// A letter counts with a sign over it.
bool begins_sign(std::string_view text, std::size_t at) {
  const auto beyond_ascii = [&](std::size_t i) {
    return i < text.size() && static_cast<unsigned char>(text[i]) >= 0x80;
  };
  return beyond_ascii(at) || beyond_ascii(at + 1);
}

}  // namespace

std::optional<Edited> in_plain_signs(std::string_view sentence) {
  std::vector<Edited::Edit> edits;
  for (std::size_t at = 0; at < sentence.size();) {
    const auto sign = !begins_sign(sentence, at) ? signs.end() : std::ranges::find_if(signs, [&](const Sign& s) {
      return sentence.substr(at).starts_with(s.written);
    });
    if (sign == signs.end()) {
      ++at;
      continue;
    }
    edits.push_back({{at, at + sign->written.size()}, std::string(sign->plain), {}});
    at += sign->written.size();
  }
  if (edits.empty()) return std::nullopt;
  return Edited(sentence, std::move(edits));
}

}  // namespace ww::op
