// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/listing.h"
#include <algorithm>
#include <cstring>
#include "ptx/syntax.h"

namespace ww::widgets {

namespace {

std::vector<int> rows_with(const std::vector<int>& of, int value) {
  std::vector<int> rows;
  if (value > 0)
    for (std::size_t r = 0; r < of.size(); ++r)
      if (of[r] == value) rows.push_back(static_cast<int>(r));
  return rows;
}

void index_rows(Listing& l) {
  if (!l.text.empty() && l.text.back() != '\n') l.text.push_back('\n');
  l.starts.reserve(l.text.size() / 32 + 2);
  l.starts.push_back(0);
  const char* const begin = l.text.data();
  const char* const end = begin + l.text.size();
  for (const char* at = begin; at < end;) {
    const char* const stop = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    int columns = static_cast<int>(stop - at);
    for (const char* tab = at;
         (tab = static_cast<const char*>(std::memchr(tab, '\t', static_cast<std::size_t>(stop - tab)))); ++tab)
      columns += listing_tab - 1;
    l.widest = std::max(l.widest, columns);
    l.starts.push_back(static_cast<std::uint32_t>(stop + 1 - begin));
    at = stop + 1;
  }
}

void add_fold(std::vector<Fold>& folds, int first, int last) {
  if (last > first) folds.push_back({first, last});
}

void find_runs(Listing& l) {
  for (int r = 0; r < static_cast<int>(l.lines.size());) {
    int end = r + 1;
    while (end < static_cast<int>(l.lines.size()) && l.lines[static_cast<std::size_t>(end)] == l.line_of(r)) ++end;
    if (l.line_of(r) > 0) add_fold(l.runs, r, end - 1);
    r = end;
  }
}

}  // namespace

int Listing::row_at(std::size_t byte) const {
  const auto above = std::upper_bound(starts.begin(), starts.end() - 1, static_cast<std::uint32_t>(byte));
  return static_cast<int>(above - starts.begin()) - 1;
}

std::vector<int> Listing::rows_of_line(int line) const { return rows_with(lines, line); }
std::vector<int> Listing::rows_of_ptx_line(int line) const { return rows_with(ptx_lines, line); }

std::size_t Listing::bytes() const {
  return text.capacity() + starts.capacity() * sizeof(starts[0]) +
         (lines.capacity() + ptx_lines.capacity()) * sizeof(int) + live.capacity() * sizeof(live[0]) +
         (functions.capacity() + blocks.capacity() + runs.capacity()) * sizeof(Fold);
}

std::shared_ptr<const Listing> listing_of_ptx(std::string text, std::vector<int> lines) {
  auto l = std::make_shared<Listing>();
  l->kind = ListingKind::ptx;
  l->text = std::move(text);
  index_rows(*l);
  l->lines = std::move(lines);
  if (!l->lines.empty()) l->lines.resize(static_cast<std::size_t>(l->rows()), 0);
  const ptx::File file = ptx::parse(l->text);
  for (const ptx::Function& f : file.functions) {
    if (!f.has_body) continue;
    const int last = f.last_line - 1;
    int block = -1;  // its first row
    for (std::uint32_t i = f.body.begin; i < f.body.end; ++i) {
      const ptx::Statement& s = file.statements[i];
      if (s.kind != ptx::Statement::Kind::label) continue;
      if (block >= 0) add_fold(l->blocks, block, s.place.line - 2);
      block = s.place.line - 1;
    }
    if (block >= 0) add_fold(l->blocks, block, last - 1);
    add_fold(l->functions, f.first_line - 1, last);
  }
  find_runs(*l);
  return l;
}

std::shared_ptr<const Listing> listing_of_sass(compile::Sass sass) {
  auto l = std::make_shared<Listing>();
  l->kind = ListingKind::sass;
  l->text = std::move(sass.text);
  index_rows(*l);
  const std::size_t rows = static_cast<std::size_t>(l->rows());
  sass.rows.resize(rows);
  bool lines = false, ptx_lines = false, live = false;
  for (const compile::SassRow& row : sass.rows) {
    lines |= row.line > 0;
    ptx_lines |= row.ptx_line > 0;
    live |= row.live > 0;
  }
  if (lines) l->lines.reserve(rows);
  if (ptx_lines) l->ptx_lines.reserve(rows);
  if (live) l->live.reserve(rows);
  int function = -1, block = -1;
  const auto close = [&](int last, bool whole) {
    if (block >= 0) add_fold(l->blocks, block, last);
    block = -1;
    if (whole && function >= 0) add_fold(l->functions, function, last);
  };
  for (int r = 0; r < static_cast<int>(rows); ++r) {
    const compile::SassRow& row = sass.rows[static_cast<std::size_t>(r)];
    if (lines) l->lines.push_back(row.line);
    if (ptx_lines) l->ptx_lines.push_back(row.ptx_line);
    if (live) l->live.push_back(static_cast<std::uint16_t>(row.live));
    if (row.kind == compile::SassRow::Kind::function) {
      close(r - 1, true);
      function = r;
    } else if (row.kind == compile::SassRow::Kind::label) {
      close(r - 1, false);
      block = r;
    }
  }
  close(static_cast<int>(rows) - 1, true);
  find_runs(*l);
  return l;
}

}  // namespace ww::widgets
