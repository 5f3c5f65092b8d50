// SPDX-License-Identifier: Apache-2.0
#include "op/sentence/casts.h"
#include <algorithm>
#include <set>
#include <string>
#include <vector>
#include "base/dtype.h"
#include "op/sentence/phrasebook_words.h"

namespace ww::op {
namespace {

using phrases::Token;

struct NamedType {
  std::size_t begin = 0, end = 0;  // tokens
  DType type = DType::f32;
};

std::vector<NamedType> types_in(const Library& library, const std::vector<Token>& tokens) {
  std::vector<NamedType> out;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const phrases::Match m = library.vocabulary().match(tokens, i);
    const phrases::Entry* named = m.entry(phrases::Sort::dtype);
    const auto type = named ? dtype_from_name(named->value) : std::nullopt;
    if (!type) continue;
    out.push_back({i, i + m.count, *type});
    i += m.count - 1;
  }
  return out;
}

}  // namespace

std::optional<Edited> casts_as_copy(const Library& library, std::string_view sentence) {
  static const std::set<std::string> verbs = {"cast", "convert", "casting", "converting", "conversion"};
  constexpr std::size_t farthest_verb = 3;  // "a kernel to convert"
  const std::vector<Token> tokens = phrases::tokenise(sentence);
  std::size_t verb = 0;
  while (verb < tokens.size() && verb <= farthest_verb && verbs.count(tokens[verb].text) == 0) ++verb;
  if (verb >= tokens.size() || verb > farthest_verb) return std::nullopt;
  const std::vector<NamedType> types = types_in(library, tokens);
  const auto leads = [&](const NamedType& t, std::initializer_list<std::string_view> words) {
    return t.begin > verb + 1 && std::find(words.begin(), words.end(), tokens[t.begin - 1].text) != words.end();
  };
  const NamedType *to = nullptr, *from = nullptr;
  for (const NamedType& t : types) {
    const NamedType*& which = leads(t, {"to", "into", "as"}) ? to : from;
    if (which || t.begin < verb) return std::nullopt;
    which = &t;
  }
  if (!to || (from && from->begin > to->begin && !leads(*from, {"from"}))) return std::nullopt;
  const DType source = from ? from->type : DType::f32;
  if (!is_real(to->type) || !is_real(source)) return std::nullopt;
  std::vector<Edited::Edit> edits = {{tokens[verb].span, "copy", "the op copy"}};
  const auto remove = [&](const NamedType& t, bool word, const std::string& reading) {
    edits.push_back({{tokens[t.begin - (word ? 1 : 0)].span.begin, tokens[t.end - 1].span.end}, "", reading});
  };
  if (from && from->begin < to->begin) remove(*from, leads(*from, {"from"}), "the type of the input");
  remove(*to, true, "the type of the result");
  if (from && from->begin > to->begin) remove(*from, true, "the type of the input");
  const std::string facts =
      ", " + std::string(dtype_name(source)) + " inputs, " + std::string(dtype_name(to->type)) + " outputs";
  edits.push_back({{sentence.size(), sentence.size()}, facts, ""});
  return Edited(sentence, std::move(edits));
}

}  // namespace ww::op
