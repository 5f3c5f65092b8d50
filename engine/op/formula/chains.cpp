// SPDX-License-Identifier: Apache-2.0
#include "op/formula/chains.h"
#include <algorithm>
#include "op/formula/parsing.h"

namespace ww::op::formula {
namespace {

bool is_cased(char c) { return is_upper(c) || is_lower(c); }

// The words of letters between two offsets that begin with a capital and are split into letters.
std::vector<Span> letter_groups(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t most_letters = 3;
  std::vector<Span> out;
  for (std::size_t i = begin; i < end;) {
    std::size_t stop = i;
    while (stop < end && is_cased(text[stop])) ++stop;
    const auto joined = [&](std::size_t k) { return k < text.size() && (is_cased(text[k]) || text[k] == '_'); };
    const bool apart = (i == 0 || !joined(i - 1)) && !joined(stop);
    if (apart && stop - i >= 2 && stop - i <= most_letters && is_upper(text[i])) out.push_back({i, stop});
    i = std::max(stop, i + 1);
  }
  return out;
}

bool has_transpose(const Node& n) {
  return n.kind == Node::Kind::transpose ||
         std::any_of(n.args.begin(), n.args.end(), [](const Node& a) { return has_transpose(a); });
}

}  // namespace

bool is_chain(const Tables& tables, std::string_view letters) {
  if (tables.chains.count(std::string(letters))) return true;
  const auto matrix = [&](char c) { return tables.matrices.count(std::string(1, c)) != 0; };
  const bool last = matrix(letters.back()) || tables.vectors.count(std::string(1, letters.back())) != 0;
  return last && std::all_of(letters.begin(), letters.end() - 1, matrix);
}

bool is_abbreviation(const Library& library, std::string_view sentence, const Statement& s) {
  if (s.signs || s.operators == 0 || !s.problem.empty() || has_transpose(s.value)) return false;
  const std::vector<Span> groups = letter_groups(sentence, s.span.begin, s.next);
  return std::any_of(groups.begin(), groups.end(), [&](const Span& g) {
    return !is_chain(library.vocabulary().tables(), sentence.substr(g.begin, g.end - g.begin));
  });
}

std::optional<Option> letters_as_product(const Library& library, std::string_view sentence) {
  const Names names = names_for(library, library.vocabulary().tables());
  const std::size_t begin = sentence.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  const auto s = parse_statement(sentence, begin, names);
  if (!s || !s->problem.empty() || !is_abbreviation(library, sentence, *s)) return std::nullopt;
  std::string text(sentence), letters;
  const std::vector<Span> groups = letter_groups(sentence, begin, s->next);
  for (auto g = groups.rbegin(); g != groups.rend(); ++g) {
    std::string product;
    for (const char c : sentence.substr(g->begin, g->end - g->begin))
      product += (product.empty() ? "" : " @ ") + std::string(1, c);
    text.replace(g->begin, g->end - g->begin, product);
    letters = std::string(sentence.substr(g->begin, g->end - g->begin));
  }
  return Option{text, "a product of the matrices '" + letters + "'"};
}

}  // namespace ww::op::formula
