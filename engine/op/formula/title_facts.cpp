// SPDX-License-Identifier: Apache-2.0
// What a title in front of a formula says of it.
#include <algorithm>
#include <set>
#include "op/formula/reading.h"

namespace ww::op::formula {
namespace {

// Words of a title that say that something else is computed than what follows.
bool changes(const std::string& word) {
  static const std::set<std::string> words = {
      "not",      "no",      "without", "except", "instead", "but",      "derivative", "integral", "inverse",
      "jacobian", "hessian", "solve",   "find",   "fit",     "minimize", "maximize",   "root",     "causal",
      "masked",   "every",   "second",  "other",  "half",    "if",       "unless",     "only"};
  return words.count(word) != 0;
}

}  // namespace

std::optional<TitleFacts> title_facts(const Library& library, std::string_view title,
                                      const std::function<bool(const std::string&)>& number_known) {
  const Tables& tables = library.vocabulary().tables();
  const std::vector<TextToken> tokens = phrases::tokenise(title);
  Tail tail;
  read_tail(library, tables, title, tokens, 0, tokens.size(), tail);
  if (!tail.question.empty()) return std::nullopt;
  TitleFacts out;
  out.names_op = tail.names_op;
  for (Word& w : tail.words) {
    if (w.meaning == Meaning::unknown) {
      const std::vector<TextToken> own = phrases::tokenise(w.text);
      const bool number = own.size() == 1 && own[0].kind == TextKind::number;
      const bool limit = own.size() == 1 && std::any_of(tables.limits.begin(), tables.limits.end(),
                                                        [&](const auto& l) { return l.first == own[0].text; });
      if (own.size() == 1 && (changes(own[0].text) || limit)) return std::nullopt;
      if (number && !number_known(own[0].text)) return std::nullopt;
      if (own.size() == 1 && own[0].text == "scalar") return std::nullopt;
      w.meaning = Meaning::filler;
      w.reading = "title of the formula";
    } else if (w.meaning == Meaning::filler && w.text == "scalar") {
      return std::nullopt;  // of which name?
    } else if (w.meaning == Meaning::axis) {
      out.axis += (out.axis.empty() ? "" : ", ") + w.text;
    } else if (w.meaning == Meaning::shape || w.meaning == Meaning::dtype || w.meaning == Meaning::constant) {
      out.text += (out.text.empty() ? "" : ", ") + w.text;
    }
    out.words.push_back(std::move(w));
  }
  return out;
}

}  // namespace ww::op::formula
