// SPDX-License-Identifier: Apache-2.0
#include "store/old_titles.h"
#include <charconv>
#include <string_view>
#include "base/ascii.h"
#include "base/described_json.h"
#include "store/states.h"

namespace ww::store {
namespace {

// "WARPS 4, UNROLL 2"; empty: it is something else.
Tuning tuning_in(std::string_view text) {
  Tuning out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    const std::string_view one = text.substr(0, end);
    const std::size_t space = one.find(' ');
    if (space == one.npos || space == 0) return {};
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(one.data() + space + 1, one.data() + one.size(), value);
    if (error != std::errc() || stop != one.data() + one.size()) return {};
    out.emplace_back(one.substr(0, space), value);
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return out;
}

Tuning tuning_behind(std::string_view title) {
  const std::size_t open = title.ends_with(')') ? title.rfind(" (") : title.npos;
  return tuning_in(open == title.npos ? title : title.substr(open + 2, title.size() - open - 3));
}

}  // namespace

Status fill_tunings(Database& db) {
  std::vector<std::pair<std::int64_t, std::string>> found;
  Statement from = db.prepare("SELECT id, title FROM candidate");
  WW_TRY(each_row(from, [&](Statement& row) -> Status {
    if (const Tuning tuning = tuning_behind(row.text(1)); !tuning.empty())
      found.emplace_back(row.integer(0), json::text_of(tuning));
    return {};
  }));
  for (const auto& [id, tuning] : found)
    WW_TRY(db.prepare("UPDATE candidate SET tuning = ? WHERE id = ?").bind(tuning, id).run());
  return {};
}

}  // namespace ww::store
