// SPDX-License-Identifier: Apache-2.0
#include "op/formula/tensor_facts.h"
#include <algorithm>
#include <map>
#include "op/sentence/rewriting.h"

namespace ww::op::formula {
namespace {

using FactKind = TensorFact::Kind;

// "x and idx", "Q, K, and V"
std::vector<std::string> listed_names(const std::string& text) {
  std::vector<std::string> out;
  for (const std::string& part : phrases::split_list(text))
    for (const std::string& name : phrases::split_list(part, ' '))
      if (name != "and" && name != "the") out.push_back(plain_name(name));
  return out;
}

std::optional<FactKind> kind_of(const std::string& key) {
  static const std::map<std::string, FactKind> kinds = {{"rank", FactKind::rank},       {"shape", FactKind::shape},
                                                        {"counts", FactKind::counts},   {"tensor", FactKind::tensor},
                                                        {"row", FactKind::row},         {"column", FactKind::column},
                                                        {"start", FactKind::start},     {"same", FactKind::same},
                                                        {"nothing", FactKind::nothing}, {"rows", FactKind::rows}};
  const auto found = kinds.find(key);
  return found == kinds.end() ? std::nullopt : std::optional(found->second);
}

TensorFact fact_of(const RuleAt& rule) {
  TensorFact out;
  out.end = rule.end;
  const std::size_t colon = rule.text.find(':');
  const std::string key = rule.text.substr(0, colon);
  const std::string rest = colon == std::string::npos ? std::string() : rule.text.substr(colon + 1);
  if (key == "outside") {
    out.kind = rest.find("zero") != std::string::npos   ? FactKind::zero_outside
               : rest.find("wrap") != std::string::npos ? FactKind::wrap
                                                        : FactKind::inside;
    return out;
  }
  out.kind = kind_of(key.substr(0, key.find(' '))).value_or(FactKind::tensor);
  if (out.kind == FactKind::rank) out.rank = key.back() - '0';
  out.names = listed_names(rest);
  return out;
}

}  // namespace

std::optional<TensorFact> tensor_fact(const Library& library, std::string_view sentence,
                                      const std::vector<TextToken>& tokens, std::size_t at, std::size_t to) {
  const auto is = [&](std::size_t i, std::initializer_list<std::string_view> words) {
    return i < to && std::find(words.begin(), words.end(), tokens[i].text) != words.end();
  };
  const auto rule = rule_at(library, library.vocabulary().tables().tails, sentence, tokens, at);
  if (!rule || rule->end > to) return std::nullopt;
  TensorFact out = fact_of(*rule);
  const bool article = is(at, {"a"}) && !is(at + 1, {"is", "are", ":", "=", "has"});
  if (article && std::find(out.names.begin(), out.names.end(), "a") != out.names.end()) return std::nullopt;
  // "A is a matrix of ...": what follows is said of A, not of all tensors
  const bool more = is(out.end, {"of", "with"}) && (is(out.end + 1, {"length", "size", "shape", "(", "[", "the"}) ||
                                                    (out.end + 1 < to && tokens[out.end + 1].kind == TextKind::number));
  if (more && !out.names.empty() && out.kind != FactKind::shape) return std::nullopt;
  return out;
}

}  // namespace ww::op::formula
