// SPDX-License-Identifier: Apache-2.0
#include "base/records.h"
#include <algorithm>
#include <map>
#include <vector>
#include "base/secret.h"
#include "base/visible.h"

namespace ww {
namespace {

using json::Json;

std::string shown(const std::string& text) { return one_line(visible(redact(text))); }

struct Cell {
  std::string text;
  bool number = false;
};

struct Records {
  std::vector<std::string> columns;  // in order of appearance
  std::vector<std::map<std::string, Cell>> rows;
};

void add_cells(const Json& value, const std::string& name, Records& into) {
  if (value.is_object()) {
    for (const auto& [member, one] : value.items()) add_cells(one, name.empty() ? member : name + '.' + member, into);
    return;
  }
  Cell cell;
  if (value.is_array()) {
    for (const Json& one : value) {
      if (one.is_structured()) return;
      cell.text += (cell.text.empty() ? "" : ", ") + (one.is_string() ? one.get<std::string>() : one.dump());
    }
  } else if (value.is_string()) {
    cell.text = value.get<std::string>();
  } else if (!value.is_null()) {
    cell = {value.dump(), value.is_number()};
  }
  if (std::find(into.columns.begin(), into.columns.end(), name) == into.columns.end()) into.columns.push_back(name);
  if (!value.is_null()) into.rows.back()[name] = std::move(cell);
}

Records records_of(const Json& list) {
  Records r;
  for (const Json& one : list) {
    r.rows.emplace_back();
    add_cells(one, {}, r);
  }
  // What is null in one record and an object in another has the columns of the object.
  std::erase_if(r.columns, [columns = r.columns](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(),
                       [&](const std::string& other) { return other.starts_with(name + '.'); });
  });
  return r;
}

Cell cell_of(const std::map<std::string, Cell>& row, const std::string& column) {
  const auto at = row.find(column);
  return at == row.end() ? Cell{} : at->second;
}

// Whether a spreadsheet would read the text from here on as a formula; some also recognise full-width signs.
bool begins_formula(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  for (const std::string_view sign : {"=", "+", "-", "@", "\uFF1D", "\uFF0B", "\uFF0D", "\uFF20"})
    if (text.starts_with(sign)) return true;
  return false;
}

std::string csv_cell(const Cell& cell) {
  if (cell.number) return cell.text;
  std::string text = shown(cell.text);
  if (begins_formula(text)) text.insert(0, "'");
  // If semicolons separate cells, a new cell would begin after it.
  for (std::size_t at = 0; (at = text.find(';', at)) != std::string::npos; ++at)
    if (begins_formula(std::string_view(text).substr(at + 1))) text.insert(at + 1, "'");
  if (text.find_first_of(",;\"") == std::string::npos && !text.starts_with(' ') && !text.ends_with(' ')) return text;
  for (std::size_t at = 0; (at = text.find('"', at)) != std::string::npos; at += 2) text.insert(at, "\"");
  return '"' + text + '"';
}

std::string markdown_cell(const Cell& cell) {
  std::string out;
  for (const char c : shown(cell.text)) {
    if (std::string_view("\\`*_[]<>|~&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string csv_of(const Json& list) {
  const Records r = records_of(list);
  std::string out;
  const auto line = [&](const auto& cell_in) {
    for (std::size_t i = 0; i < r.columns.size(); ++i) out += (i ? "," : "") + csv_cell(cell_in(r.columns[i]));
    out += '\n';
  };
  if (r.columns.empty()) return out;
  line([](const std::string& column) { return Cell{column}; });
  for (const auto& row : r.rows) line([&](const std::string& column) { return cell_of(row, column); });
  return out;
}

std::string markdown_of(const Json& list) {
  const Records r = records_of(list);
  std::string head = "|", rule = "|", out;
  for (const std::string& column : r.columns) {
    const bool numbers =
        std::any_of(r.rows.begin(), r.rows.end(), [&](const auto& row) { return cell_of(row, column).number; });
    head += ' ' + markdown_cell({column}) + " |";
    rule += numbers ? " ---: |" : " --- |";
  }
  for (const auto& row : r.rows) {
    out += '|';
    for (const std::string& column : r.columns) out += ' ' + markdown_cell(cell_of(row, column)) + " |";
    out += '\n';
  }
  return r.columns.empty() ? out : head + '\n' + rule + '\n' + out;
}

}  // namespace ww
