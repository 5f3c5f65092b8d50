// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include "evidence/wrong_map.h"

namespace ww::evidence {

namespace {

constexpr std::int64_t most_elements = std::int64_t{1} << 40;

bool within(std::int64_t n, std::int64_t least, std::int64_t most) { return n >= least && n <= most; }

bool on(const WrongLines& l, std::int64_t of) {
  return within(l.first, 0, of - 1) && within(l.count, 1, of - l.first) &&
         within(l.step, 0, l.count == 1 ? of : (of - 1 - l.first) / (l.count - 1));
}

// Elements of the whole tensor; 0: too many, or a dimension without any.
std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (const std::int64_t d : shape)
    if (within(d, 1, most_elements / n))
      n *= d;
    else
      return 0;
  return n;
}

std::string sizes_misfit(const WrongMap& map) {
  const std::int64_t all = count_of(map.shape);
  const std::size_t rank = map.shape.size();
  if (all == 0 || map.columns != (rank > 0 ? map.shape[rank - 1] : 1) ||
      map.rows != (rank > 1 ? map.shape[rank - 2] : 1) || map.matrices != all / (map.rows * map.columns))
    return "its matrices are not the tensor's";
  if (!within(map.cell_rows, 1, map.rows) || !within(map.cell_columns, 1, map.columns) || map.down() > most_map_side ||
      map.across() > most_map_side)
    return "its cells do not divide a matrix";
  if (map.maps.empty() || map.maps.size() > most_map_matrices ||
      map.down() * map.across() * static_cast<std::int64_t>(map.maps.size()) > most_map_cells)
    return "it has too many maps, or none";
  if (!within(map.wrong_matrices, static_cast<std::int64_t>(map.maps.size()), map.matrices))
    return "its count of wrong matrices cannot be right";
  return {};
}

std::string pattern_misfit(const WrongMap& map) {
  const WrongShape& s = map.wrong_elements;
  if (s.pattern != WrongPattern::unknown && (!on(s.rows, map.rows) || !on(s.columns, map.columns)))
    return "its wrong elements lie outside the matrix";
  if (s.pattern == WrongPattern::elements && !on(s.elements, map.rows * map.columns))
    return "its wrong elements lie outside the matrix";
  if (!(s.share >= 0 && s.share <= 1)) return "its share of wrong elements is not between 0 and 1";
  const WrongValues& v = map.wrong_values;
  if (!std::isfinite(v.amount) || !within(v.rows, -map.rows, map.rows) || !within(v.columns, -map.columns, map.columns))
    return "the rule of its wrong values is unknown";
  return {};
}

std::string matrix_misfit(const WrongMap& map, const WrongMatrix& m) {
  const auto cells = static_cast<std::size_t>(map.down() * map.across());
  if (m.element.size() != cells || m.expected.size() != cells || m.actual.size() != cells || m.ratio.size() != cells)
    return "a map has the wrong number of cells";
  const std::size_t leading = map.shape.size() > 2 ? map.shape.size() - 2 : 0;
  if (m.leading.size() != leading ||
      !std::equal(m.leading.begin(), m.leading.end(), map.shape.begin(),
                  [](std::int64_t at, std::int64_t of) { return within(at, 0, of - 1); }))
    return "a map is of a matrix that the tensor does not have";
  std::int64_t least = 0, most = 0;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::int64_t e = m.element[cell];
    if (!within(e, 0, map.rows * map.columns - 1) || map.cell_of(e) != static_cast<std::int64_t>(cell))
      return "a cell shows an element of another one";
    if (m.ratio[cell] < 0) return "an error is negative";
    if (!(m.ratio[cell] > 1)) continue;
    const std::int64_t row = e / map.columns / map.cell_rows * map.cell_rows,
                       column = e % map.columns / map.cell_columns * map.cell_columns;
    ++least;
    most += std::min(map.cell_rows, map.rows - row) * std::min(map.cell_columns, map.columns - column);
  }
  if (least == 0 || !within(m.wrong, least, most)) return "a count of wrong elements does not match its map";
  if (!within(m.first, 0, map.rows * map.columns - 1) || !(m.ratio[static_cast<std::size_t>(map.cell_of(m.first))] > 1))
    return "the first wrong element is right";
  return {};
}

std::string element_misfit(const WrongMap& map) {
  const auto& e = map.failure.element;
  if (!e || map.failure.fault || e->tensor != map.tensor) return "it does not belong to a failure of this tensor";
  if (e->index.size() != map.shape.size() ||
      !std::equal(e->index.begin(), e->index.end(), map.shape.begin(),
                  [](std::int64_t at, std::int64_t of) { return within(at, 0, of - 1); }))
    return "its worst element lies outside the tensor";
  if (map.writer && map.writer->line < 0) return "its writer's line cannot be right";
  std::int64_t shown = 0;
  for (const WrongMatrix& m : map.maps) shown += m.wrong;
  const std::int64_t hidden = map.wrong_matrices - static_cast<std::int64_t>(map.maps.size());
  if (e->total != count_of(map.shape) || !within(e->wrong, shown + hidden, hidden == 0 ? shown : e->total))
    return "its count of wrong elements does not match its maps";
  return {};
}

}  // namespace

std::string misfit_of(const WrongMap& map) {
  if (std::string why = sizes_misfit(map); !why.empty()) return why;
  if (std::string why = pattern_misfit(map); !why.empty()) return why;
  for (std::size_t i = 0; i < map.maps.size(); ++i) {
    if (std::string why = matrix_misfit(map, map.maps[i]); !why.empty()) return why;
    if (i > 0 && map.maps[i].leading <= map.maps[i - 1].leading) return "its maps are not in the tensor's order";
  }
  return element_misfit(map);
}

}  // namespace ww::evidence
