// SPDX-License-Identifier: Apache-2.0
// Building blocks of a report. All take raw text and escape it.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include "diff/lines.h"

namespace ww::report::html {

// Escapes text for element content and quoted attributes. Invalid UTF-8, and characters that XML forbids, become
// U+FFFD.
std::string escape(std::string_view text);
// At most `limit` characters (code points), the middle replaced by an ellipsis.
std::string shorten(std::string_view text, std::size_t limit);
std::string number(double value);  // "1 234 567", "12.5": thin spaces between thousands
std::string pre(std::string_view text, std::string_view css_class = "code");
// Source with line numbers and, for lines that have one, the share of `total` in per cent.
std::string listing(std::string_view text, const std::map<int, double>& weight_of_line, double total);
std::string diff(const std::vector<diff::DiffLine>& lines);
std::string facts(const std::vector<std::pair<std::string, std::string>>& rows);  // a table of two columns

struct Bar {
  std::string label;
  std::vector<double> values;  // one per series
  std::string note;            // at the bar's end; empty: the sum
};
// Horizontal stacked bars.
std::string bars(std::string_view title, const std::vector<std::string>& series, const std::vector<Bar>& rows,
                 std::string_view unit);

struct Dot {
  double x = 0, y = 0;
  std::string label;
  bool best = false;  // lower than all before it
};
// Dots in order of x, and a step line through the best so far. Logarithmic in y if the values span more than a factor
// of 20.
std::string dots(std::string_view title, const std::vector<Dot>& points, std::string_view x_label,
                 std::string_view y_label);

}  // namespace ww::report::html
