// SPDX-License-Identifier: Apache-2.0
#include "store/foreign_schema.h"
#include <algorithm>
#include <map>
#include <utility>

namespace ww::store {
namespace {

using Objects = std::map<std::pair<std::string, std::string>, std::string>;  // type and name, SQL

std::string one_spaced(const std::string& sql) {
  std::string out;
  for (const char c : sql) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      out += c;
    else if (!out.empty() && out.back() != ' ')
      out += ' ';
  }
  return out;
}

Result<Objects> objects_of(Database& db) {
  Objects all;
  Statement s = db.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master");
  WW_TRY(each_row(s, [&](const Statement& row) {
    all[{row.text(0), row.text(1)}] = row.text(2) + ": " + one_spaced(row.text(3));
    return Status();
  }));
  return all;
}

Result<std::vector<std::string>> columns_of(Database& db, const std::string& table) {
  Statement s = db.prepare("SELECT name FROM pragma_table_xinfo(?)");
  s.bind(table);
  return rows_of(s, [](const Statement& row) { return row.text(0); });
}

}  // namespace

Result<std::string> foreign_in_schema(Database& db, const std::vector<Migration>& steps, std::int64_t version,
                                      const std::string& more, bool bundle) {
  const std::unique_ptr<Database> ours = WW_TRY(Database::open(":memory:", Database::Access::create));
  for (std::int64_t i = 0; i < version; ++i) WW_TRY(ours->exec(std::string(steps.at(static_cast<std::size_t>(i)).sql)));
  WW_TRY(ours->exec(more));
  const Objects expected = WW_TRY(objects_of(*ours)), found = WW_TRY(objects_of(db));
  for (const auto& [object, sql] : found) {
    const auto& [type, name] = object;
    const std::string called = type + " '" + name + "'";
    const auto known = expected.find(object);
    if (known == expected.end()) return "it has the unknown " + called;
    if (known->second == sql) continue;
    if (type == "table") {
      const std::vector<std::string> columns = WW_TRY(columns_of(*ours, name));
      for (const std::string& column : WW_TRY(columns_of(db, name)))
        if (std::find(columns.begin(), columns.end(), column) == columns.end())
          return "its " + called + " has the unknown column '" + column + "'";
    }
    return "its " + called + " is not as created by Warpwright";
  }
  for (const auto& [object, sql] : expected)
    if (!found.contains(object) && !(bundle && object.first == "trigger"))
      return "it lacks the " + object.first + " '" + object.second + "'";
  return std::string();
}

}  // namespace ww::store
