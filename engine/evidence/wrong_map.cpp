// SPDX-License-Identifier: Apache-2.0
#include "evidence/wrong_map.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include "evidence/explain.h"
#include "evidence/wrong_count.h"

namespace ww::evidence {

namespace {

std::string ordinal(std::int64_t n) {
  const char* ending = n % 100 / 10 == 1 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : n % 10 == 3 ? "rd" : "th";
  return std::to_string(n) + ending;
}

// `of`: how many such lines there are.
std::string lines_text(const WrongLines& l, const std::string& word, std::int64_t of) {
  const std::int64_t last = l.first + (l.count - 1) * l.step;
  if (l.count == 1)
    return l.first == of - 1 && of > 1 ? "the last " + word
           : l.first == 0              ? "the first " + word
                                       : fmt::format("{} {}", word, l.first);
  if (l.step == 0) return fmt::format("{} irregularly spaced {}s, from {} {}", l.count, word, word, l.first);
  if (l.step == 1 && last == of - 1) return fmt::format("the last {} {}s, from {} {}", l.count, word, word, l.first);
  if (l.step == 1 && l.first == 0) return fmt::format("the first {} {}s", l.count, word);
  if (l.count == 2) return fmt::format("{}s {} and {}", word, l.first, last);
  if (l.step == 1) return fmt::format("{}s {} to {}", word, l.first, last);
  std::string text = fmt::format("every {} {}, from {} {}", ordinal(l.step), word, word, l.first);
  if (last + l.step < of) text += fmt::format(" to {} {}", word, last);
  return text;
}

// The neighbour so far away.
std::string neighbour_text(const WrongValues& v, bool matrix) {
  const std::int64_t by = v.rows != 0 ? v.rows : v.columns, far = by < 0 ? -by : by;
  const std::string word = v.rows != 0 ? "row" : matrix ? "column" : "element";
  const char* where = v.rows != 0 ? (by < 0 ? "above" : "below")
                      : matrix    ? (by < 0 ? "to the left" : "to the right")
                                  : (by < 0 ? "before" : "after");
  return fmt::format("{} {}{} {}", far, word, far == 1 ? "" : "s", where);
}

}  // namespace

std::vector<std::int64_t> WrongMap::index(const WrongMatrix& matrix, std::int64_t element) const {
  std::vector<std::int64_t> all = matrix.leading;
  if (shape.size() > 1) all.push_back(element / columns);
  if (!shape.empty()) all.push_back(element % columns);
  return all;
}

const Failure* failure_to_map(const Verdict& verdict) {
  const StageResult* last = verdict.last_stage();
  if (!last || !last->failure || !last->failure->element) return nullptr;
  // Two runs that disagree with each other both agreed with the reference.
  const bool compared = last->stage == Stage::smoke || last->stage == Stage::cases;
  return compared && !last->failure->case_name.empty() ? &*last->failure : nullptr;
}

std::string no_map_text(const Verdict& verdict) {
  if (verdict.ruling() == Ruling::accepted) return "no output differs from the reference";
  const StageResult* last = verdict.last_stage();
  if (!last) return "unknown: it was not judged to the end";
  const std::string ended = enum_string(verdict.ruling()) + " at " + enum_string(last->stage);
  switch (last->stage) {
    case Stage::contract:
    case Stage::compile: return "unknown: nothing was run, since it was " + ended;
    case Stage::smoke:
    case Stage::cases: break;
    case Stage::determinism: return "none that a map could show: it was " + ended + ", where two runs are compared";
    case Stage::measure: return "no output was found to differ from the reference before it was " + ended;
  }
  return "unknown: it was " + ended + " before a whole output could be compared";
}

std::string wrong_shape_text(const WrongMap& map) {
  const WrongShape& s = map.wrong_elements;
  const std::string word = map.shape.size() > 1 ? "column" : "element";
  std::string text;
  switch (s.pattern) {
    case WrongPattern::unknown: return {};
    case WrongPattern::scattered: return "scattered";
    case WrongPattern::all:
      if (s.share < 1)
        return fmt::format("spread over the whole tensor ({:.0f} % of it)", std::min(99.0, s.share * 100));
      return "all elements";
    case WrongPattern::single: return "a single element";
    case WrongPattern::rows: text = lines_text(s.rows, "row", map.rows); break;
    case WrongPattern::columns: text = lines_text(s.columns, word, map.columns); break;
    case WrongPattern::tile:
      text = fmt::format("a tile of {} x {}, from row {}, column {}", s.rows.count, s.columns.count, s.rows.first,
                         s.columns.first);
      break;
    case WrongPattern::grid:
      text = lines_text(s.columns, word, map.columns) + "; only in " + lines_text(s.rows, "row", map.rows);
      break;
    case WrongPattern::diagonal: text = "the diagonal"; break;
    case WrongPattern::above_diagonal: text = "above the diagonal"; break;
    case WrongPattern::below_diagonal: text = "below the diagonal"; break;
    case WrongPattern::among_lines: {
      const bool rows = s.rows.count < map.rows, columns = s.columns.count < map.columns;
      text = "scattered over ";
      if (columns) text += lines_text(s.columns, word, map.columns);
      if (rows) text += (columns ? "; only in " : "") + lines_text(s.rows, "row", map.rows);
      break;
    }
    case WrongPattern::elements:
      text = lines_text(s.elements, "element", map.rows * map.columns) + ", counted row by row";
      break;
  }
  if (s.share < 1) text += fmt::format(" ({:.0f} % of these elements)", std::min(99.0, s.share * 100));
  return text;
}

std::string wrong_values_text(const WrongMap& map) {
  const WrongValues& v = map.wrong_values;
  switch (v.rule) {
    case WrongRule::unknown:
    case WrongRule::none: return {};
    case WrongRule::unwritten: return "They were never written.";
    case WrongRule::zero: return "They are zero.";
    case WrongRule::not_finite: return "They are NaN or infinite.";
    case WrongRule::negated: return "They have the opposite sign.";
    case WrongRule::transposed: return "They are right for the transposed matrix.";
    case WrongRule::scaled: return fmt::format("They are {:.4g} times the right values.", v.amount);
    case WrongRule::offset:
      return fmt::format("They are the right values {} {:.4g}.", v.amount < 0 ? "minus" : "plus", std::abs(v.amount));
    case WrongRule::close: return fmt::format("They are close: no error exceeds {:.2g} %.", v.amount * 100);
    case WrongRule::neighbour:
      return "They are the right values of their neighbours, " + neighbour_text(v, map.shape.size() > 1) + '.';
  }
  return {};
}

std::string wrong_text(const WrongMap& map) {
  const FailingElement& e = *map.failure.element;
  std::string text = wrong_count(e.wrong, e.total);
  if (map.matrices > 1) text += fmt::format(", in {} of {} matrices", map.wrong_matrices, map.matrices);
  const std::string shape = wrong_shape_text(map), values = wrong_values_text(map);
  if (!shape.empty() && e.wrong > 1 && e.wrong < e.total)
    text += (map.wrong_matrices > 1 ? "; in the worst one: " : ": ") + shape;
  return text + '.' + (values.empty() ? "" : " " + values);
}

void choose_cells(WrongMap& map, std::size_t matrices) {
  const std::int64_t most = most_map_cells / static_cast<std::int64_t>(std::max<std::size_t>(1, matrices));
  while (map.down() > most_map_side || map.across() > most_map_side || map.down() * map.across() > most)
    ++(map.down() > map.across() ? map.cell_rows : map.cell_columns);
}

std::string writer_text(const WrongMap& map) {
  if (!map.writer) return {};
  const WriteSite& w = *map.writer;
  std::string text = fmt::format("{} was last written by thread ({}, {}, {}) of block ({}, {}, {}) of kernel {}",
                                 element_name(*map.failure.element), w.thread[0], w.thread[1], w.thread[2], w.block[0],
                                 w.block[1], w.block[2], w.kernel);
  return w.line > 0 ? text + fmt::format(", in line {}", w.line) : text;
}

std::string wrong_map_text(const WrongMap& map) {
  std::string text = "  " + map.tensor + ": " + wrong_text(map) + '\n';
  const WrongMatrix& m = *std::ranges::max_element(map.maps, {}, &WrongMatrix::wrong);
  if (map.matrices > 1) {
    text += "  " + map.tensor + '[';
    for (const std::int64_t i : m.leading) text += std::to_string(i) + ", ";
    text += "…]\n";
  }
  constexpr std::int64_t most_lines = 24, most_signs = 72;
  const std::int64_t lines = std::min(map.down(), most_lines), signs = std::min(map.across(), most_signs);
  std::vector<std::string> picture(static_cast<std::size_t>(lines), std::string(static_cast<std::size_t>(signs), '.'));
  for (std::size_t cell = 0; cell < m.ratio.size(); ++cell) {
    const auto at = static_cast<std::int64_t>(cell), line = at / map.across() * lines / map.down(),
               sign = at % map.across() * signs / map.across();
    if (m.ratio[cell] > 1) picture[static_cast<std::size_t>(line)][static_cast<std::size_t>(sign)] = '#';
  }
  for (const std::string& line : picture) text += "  " + line + '\n';
  const std::int64_t down = (map.rows + lines - 1) / lines, across = (map.columns + signs - 1) / signs;
  text += "  #: wrong";
  if (down * across > 1) text += fmt::format("; a character stands for up to {} x {} elements", down, across);
  return text + '\n';
}

}  // namespace ww::evidence
