// SPDX-License-Identifier: Apache-2.0
// SQLite with results instead of codes, owned handles and a cache of prepared statements. A Database is not
// thread-safe: the workspace locks the writing one, each reader has its own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include "base/describe.h"
#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace ww::store {

class Database;

// A prepared statement, borrowed from its database's cache and reset on destruction. step() reports a failed bind.
class Statement {
 public:
  Statement(Statement&& other) noexcept : db_(other.db_), stmt_(other.stmt_), next_(other.next_), code_(other.code_) {
    other.stmt_ = nullptr;
  }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  ~Statement();

  Statement& bind(std::int64_t value);  // parameters in text order
  Statement& bind(double value);
  Statement& bind(std::string_view text);
  Statement& bind(const char* text) { return bind(std::string_view(text)); }
  Statement& bind(const std::string& text) { return bind(std::string_view(text)); }
  Statement& bind(const std::optional<double>& value);  // empty: NULL
  Statement& bind(const std::optional<std::string>& text);
  template <class First, class Second, class... More>
  Statement& bind(const First& first, const Second& second, const More&... more) {
    bind(first);
    return bind(second, more...);
  }

  Result<bool> step();  // true: a row is available; false: the end
  Status run();         // steps to the end

  bool null(int column) const;
  bool holds_real(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  // Reads columns from the first on, in order, into integers, reals, texts, enumerations by name and optionals. NULL
  // leaves reals and optionals unchanged.
  template <class... Fields>
  void read(Fields&... fields) const {
    int column = 0;
    (get(column++, fields), ...);
  }

 private:
  template <class T>
  void get(int column, T& field) const {
    if constexpr (std::is_same_v<T, std::string>)
      field = text(column);
    else if constexpr (std::is_enum_v<T>)
      field = enum_or_unknown<T>(text(column));
    else if constexpr (std::is_integral_v<T>)
      field = static_cast<T>(integer(column));
    else if (null(column))
      return;
    else if constexpr (std::is_floating_point_v<T>)
      field = real(column);
    else
      get(column, field.emplace());
  }

  friend class Database;
  Statement(Database* db, sqlite3_stmt* stmt, int code) : db_(db), stmt_(stmt), code_(code) {}
  Database* db_;
  sqlite3_stmt* stmt_;
  int next_ = 1;
  int code_;  // of prepare or of the first failed bind; SQLITE_OK otherwise
};

// Calls `take`, which returns a Status, for every row.
template <class Take>
Status each_row(Statement& s, const Take& take) {
  for (;;) {
    const bool row = WW_TRY(s.step());
    if (!row) return {};
    WW_TRY(take(s));
  }
}

template <class T>
struct RowValue {
  using type = T;
};
template <class T>
struct RowValue<Result<T>> {
  using type = T;
};

// The results of `read` for every row; the first failure if it returns results.
template <class Read, class Made = std::invoke_result_t<Read, Statement&>, class T = typename RowValue<Made>::type>
Result<std::vector<T>> rows_of(Statement& s, const Read& read) {
  std::vector<T> list;
  WW_TRY(each_row(s, [&](Statement& row) -> Status {
    if constexpr (std::is_same_v<Made, T>)
      list.push_back(read(row));
    else
      list.push_back(WW_TRY(read(row)));
    return {};
  }));
  return list;
}

// SQL for the current time: UTC, to the millisecond.
inline const std::string now_sql = "strftime('%Y-%m-%dT%H:%M:%fZ','now')";

class Database {
 public:
  enum class Access {
    create,     // reads and writes; creates the file if missing
    write,      // reads and writes
    read,       // reads while others may write
    immutable,  // reads a file that nothing writes: takes no lock and ignores a log (SQLite, "immutable")
  };
  // A busy timeout of 20 s. Does not change the file. The file is not trusted (SQLite, "Defense Against The Dark
  // Arts"): defensive mode, an untrusted schema, checked cells, limits; refuses anything but a regular file.
  static Result<std::unique_ptr<Database>> open(const std::filesystem::path& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void cancel_with(std::stop_token stop);  // its statements then end with Code::cancelled
  Status make_durable();                   // WAL, synchronous FULL, foreign keys on: for databases that are ours
  Status exec(const std::string& sql);     // one or more statements without parameters
  Statement prepare(std::string_view sql);
  Result<std::int64_t> integer(std::string_view sql);  // first column of the first row
  std::int64_t last_id() const;
  std::int64_t changes() const;  // rows changed by the last statement
  // SQLite's last failure as a message for people; `code` is SQLite's.
  Error error(int code, const std::string& during = {}) const;

 private:
  friend class Statement;
  Database(sqlite3* db, std::filesystem::path file) : db_(db), file_(std::move(file)) {}
  friend class Transaction;
  bool gone() const;  // the file was deleted, moved or replaced after opening
  sqlite3* db_;
  std::filesystem::path file_;
  std::stop_token stop_;
  std::map<std::string, sqlite3_stmt*, std::less<>> cache_;
};

// BEGIN IMMEDIATE: takes the write lock at once, so that two programs wait for one another instead of failing midway.
// Rolls back unless committed. Without `flush`, commit() returns when the commit is in the log, possibly not yet on
// disk: it survives the death of the process, but not a power cut, and is always atomic (SQLite, "PRAGMA synchronous",
// NORMAL in WAL mode). The next commit with `flush` flushes it, too.
class Transaction {
 public:
  explicit Transaction(Database& db, bool flush = true);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  const Status& begun() const { return begun_; }
  Status commit();

 private:
  Database& db_;
  const bool flush_;
  Status begun_;
  bool open_ = true;
};

}  // namespace ww::store
