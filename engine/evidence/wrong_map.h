// SPDX-License-Identifier: Apache-2.0
// A map of the wrong elements in an output of a rejected candidate, over its last two dimensions: their pattern, and
// the relation of their values to the correct ones. Made by repeating the judgement (gate/wrong_map.h); never stored.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/write_site.h"
#include "evidence/verdict.h"

namespace ww::evidence {

enum class WrongPattern : std::uint8_t {
  unknown,
  scattered,
  all,
  single,
  rows,     // whole ones
  columns,  // whole ones
  tile,     // one rectangle
  grid,     // intersections of some rows and some columns
  diagonal,
  above_diagonal,  // all have a column index greater than their row index
  below_diagonal,
  elements,     // by their linear index in the matrix
  among_lines,  // scattered, but all in rows or columns of one spacing
};
constexpr auto names_of(WrongPattern) {
  using enum WrongPattern;
  return std::to_array<Enumerator<WrongPattern>>({{unknown, "unknown"},
                                                  {scattered, "scattered"},
                                                  {all, "all"},
                                                  {single, "single"},
                                                  {rows, "rows"},
                                                  {columns, "columns"},
                                                  {tile, "tile"},
                                                  {grid, "grid"},
                                                  {diagonal, "diagonal"},
                                                  {above_diagonal, "above the diagonal"},
                                                  {below_diagonal, "below the diagonal"},
                                                  {elements, "elements"},
                                                  {among_lines, "among lines"}});
}

struct WrongLines {
  std::int64_t first = 0, step = 0, count = 0;
  bool operator==(const WrongLines&) const = default;

  WW_FIELDS(WrongLines, first, (step, "0: irregularly spaced"), count)
};

// The pattern of wrong elements in the matrix with most of them. Some may be right by chance: `share` is the fraction
// of the pattern's elements that are wrong.
struct WrongShape {
  WrongPattern pattern = WrongPattern::unknown;
  WrongLines rows, columns;  // with wrong elements; among_lines: of that spacing, from the first with any to the last
  WrongLines elements;       // row * columns + column of the wrong ones, if that is the pattern
  double share = 0;

  WW_FIELDS(WrongShape, pattern, (rows, "with wrong elements"), (columns, "with wrong elements"),
            (elements, "places in the matrix's memory, where they are the pattern"),
            (share, "of the pattern's elements, those that are wrong"))
};

enum class WrongRule : std::uint8_t {  // for nearly all wrong elements of that matrix
  unknown,
  none,
  unwritten,  // they still have their earlier contents
  zero,
  not_finite,  // NaN or infinite where the correct ones are not
  negated,
  neighbour,   // correct for the element `rows` further down and `columns` further to the right
  transposed,  // correct for the transposed matrix
  scaled,      // the correct values times `amount`
  offset,      // the correct values plus `amount`
  close,       // within `amount` of the correct values
};
constexpr auto names_of(WrongRule) {
  using enum WrongRule;
  return std::to_array<Enumerator<WrongRule>>({{unknown, "unknown"},
                                               {none, "none"},
                                               {unwritten, "unwritten"},
                                               {zero, "zero"},
                                               {not_finite, "not finite"},
                                               {negated, "negated"},
                                               {neighbour, "neighbour"},
                                               {transposed, "transposed"},
                                               {scaled, "scaled"},
                                               {offset, "offset"},
                                               {close, "close"}});
}

struct WrongValues {
  WrongRule rule = WrongRule::unknown;
  double amount = 0;
  std::int64_t rows = 0, columns = 0;

  WW_FIELDS(WrongValues, (rule, "that nearly all wrong values follow"),
            (amount, "scaled: the factor; offset: what was added; close: the largest relative error"),
            (rows, "neighbour: of an element so many rows further down"),
            (columns, "and so many columns further to the right"))
};

// One matrix of the tensor as cells, each showing its worst element.
struct WrongMatrix {
  std::vector<std::int64_t> leading;  // subscripts before the last two
  std::int64_t wrong = 0;             // elements
  std::int64_t first = 0;             // wrong element: row * columns + column within the matrix
  std::vector<std::int64_t> element;  // of each cell, likewise
  std::vector<double> expected, actual;
  // of error to tolerance; over 1: wrong; infinite: an unexpected NaN or infinity; NaN: no finite error bound, so that
  // any value passes
  std::vector<double> ratio;
  std::vector<std::int64_t> unwritten;  // cells, in order, whose element was never written: its actual value is none

  WW_FIELDS(WrongMatrix, (leading, "subscripts before the last two"), (wrong, "elements"),
            (first, "of the wrong ones: row * columns + column"),
            (element, "the worst one of each cell: row * columns + column"), expected, actual,
            (ratio, "of error to tolerance; over 1: wrong, nan: not checked"),
            (unwritten, "cells whose element was never written: its actual value is none", sparse))
};

inline constexpr std::int64_t most_map_cells = 1 << 16;  // over all matrices
inline constexpr std::int64_t most_map_side = 512;
inline constexpr std::size_t most_map_matrices = 8;

struct WrongMap {
  std::string tensor, dtype;
  std::vector<std::int64_t> shape;
  Failure failure;                               // the input set, and its worst element
  std::int64_t rows = 1, columns = 1;            // of a matrix: the last two dimensions
  std::int64_t cell_rows = 1, cell_columns = 1;  // elements of a cell
  std::int64_t matrices = 1, wrong_matrices = 0;
  WrongShape wrong_elements;
  WrongValues wrong_values;
  std::optional<WriteSite> writer;  // the last to write the failing element; empty: none wrote it, or unknown
  std::vector<WrongMatrix> maps;    // those with most wrong elements, in the tensor's order
  std::int64_t down() const { return (rows + cell_rows - 1) / cell_rows; }  // cells of a map
  std::int64_t across() const { return (columns + cell_columns - 1) / cell_columns; }
  std::int64_t cell_of(std::int64_t element) const {
    return element / columns / cell_rows * across() + element % columns / cell_columns;
  }
  // Subscripts of an element of a matrix.
  std::vector<std::int64_t> index(const WrongMatrix& matrix, std::int64_t element) const;

  WW_FIELDS(WrongMap, tensor, dtype, shape, (failure, "the input set, and its worst element"),
            (rows, "of a matrix: the last two dimensions"), columns, (cell_rows, "elements of a cell"), cell_columns,
            matrices, wrong_matrices, (wrong_elements, "how they lie in the matrix with most of them"),
            (wrong_values, "how they follow from the right ones"),
            (writer, "the last to write the failing element; null: none wrote it, or unknown"),
            (maps, "of the matrices with most wrong elements"))
};

// Makes cells of as many elements as it takes to show that many of its matrices.
void choose_cells(WrongMap& map, std::size_t matrices);

// The failure to map; null: the verdict names no element that differs from the reference.
const Failure* failure_to_map(const Verdict& verdict);
// Why there is no map if failure_to_map() is null; without a full stop.
std::string no_map_text(const Verdict& verdict);

// "every 32nd column, from column 31", "the last row", "a tile of 16 x 16, from row 32, column 0"; for one dimension,
// "element" replaces "column". Empty: unknown.
std::string wrong_shape_text(const WrongMap& map);
// "They are 2 times the right values." Empty: they follow no rule.
std::string wrong_values_text(const WrongMap& map);
// "12 of 96 elements are wrong: the last row. They were never written."
std::string wrong_text(const WrongMap& map);
// "y[0, 31] was last written by thread (31, 0, 0) of block (0, 0, 0) of kernel scale, in line 14". Empty: unknown.
std::string writer_text(const WrongMap& map);
// wrong_text() and a picture of the matrix with most wrong elements, in lines.
std::string wrong_map_text(const WrongMap& map);
// The first contradiction between sizes, places and counts; empty: they agree.
std::string misfit_of(const WrongMap& map);

}  // namespace ww::evidence
