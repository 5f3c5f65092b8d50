// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite.h"
#include <chrono>
#include <cstdio>
#include <sqlite3.h>
#include <thread>

namespace ww::store {
namespace {

constexpr int busy_milliseconds = 20000;

Code code_of(int sqlite_code) {
  switch (sqlite_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Code::timeout;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB: return Code::corrupt;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_PERM:
    case SQLITE_AUTH: return Code::io;
    case SQLITE_CONSTRAINT:
      return Code::not_found;  // every constraint that a caller can violate is a reference to a missing row
    case SQLITE_TOOBIG: return Code::invalid_argument;
    case SQLITE_INTERRUPT: return Code::cancelled;
    default: return Code::internal;
  }
}

std::string sentence_of(int sqlite_code, const std::string& file) {
  switch (sqlite_code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "another program keeps the workspace database '" + file + "' locked; try again when it is done";
    case SQLITE_NOTADB:
      return "'" + file + "' is not a database; choose another workspace folder or restore the file from a copy";
    case SQLITE_CORRUPT:
      return "the workspace database '" + file +
             "' is damaged; restore it from a copy or choose another workspace folder";
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH: return "the workspace database '" + file + "' may not be written by this user";
    case SQLITE_CANTOPEN: return "cannot open the workspace database '" + file + "'";
    case SQLITE_FULL: return "no space is left where '" + file + "', or a copy of it, was to be written";
    case SQLITE_IOERR: return "reading or writing the workspace database '" + file + "' failed";
    case SQLITE_CONSTRAINT: return "the row that is referred to is not in the workspace";
    case SQLITE_TOOBIG: return "the text is too large for the workspace database";
    case SQLITE_INTERRUPT: return "cancelled";
    default: return "the workspace database '" + file + "' refused a request";
  }
}

std::string immutable_uri(const std::filesystem::path& file) {
  std::string uri = "file:";
  for (const char c : file.string()) {
    if (c == '?' || c == '#' || c == '%') {
      char escaped[4];
      std::snprintf(escaped, sizeof escaped, "%%%02X", static_cast<unsigned>(c));
      uri += escaped;
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// Far more than our own statements and rows need.
constexpr std::pair<int, int> limits[] = {
    {SQLITE_LIMIT_LENGTH, 1 << 28},      {SQLITE_LIMIT_SQL_LENGTH, 1 << 20}, {SQLITE_LIMIT_COLUMN, 100},
    {SQLITE_LIMIT_EXPR_DEPTH, 100},      {SQLITE_LIMIT_COMPOUND_SELECT, 50}, {SQLITE_LIMIT_VDBE_OP, 100'000},
    {SQLITE_LIMIT_FUNCTION_ARG, 50},     {SQLITE_LIMIT_ATTACHED, 1},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_TRIGGER_DEPTH, 10},   {SQLITE_LIMIT_WORKER_THREADS, 0},
};
constexpr int steps_between_looks = 10'000;  // of SQLite's machine, for a request to stop

// SQLite's own way to files, but without super-journals. A transaction over several databases would need one; ours have
// one each. A foreign database's journal may name any file as its super-journal, which SQLite then reads and deletes.
const char* own_vfs() {
  static sqlite3_vfs vfs;
  static int (*open)(sqlite3_vfs*, const char*, sqlite3_file*, int, int*) = nullptr;
  const sqlite3_vfs* base = sqlite3_vfs_find(nullptr);
  if (!base) return nullptr;
  vfs = *base;
  vfs.zName = "warpwright";
  open = base->xOpen;
  vfs.xOpen = [](sqlite3_vfs* self, const char* name, sqlite3_file* file, int flags, int* out) {
    file->pMethods = nullptr;
    return (flags & SQLITE_OPEN_SUPER_JOURNAL) != 0 ? SQLITE_CANTOPEN : open(self, name, file, flags, out);
  };
  return sqlite3_vfs_register(&vfs, 0) == SQLITE_OK ? vfs.zName : nullptr;
}

bool harden(sqlite3* db) {
  for (const auto& [limit, value] : limits) sqlite3_limit(db, limit, value);
  return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr) == SQLITE_OK &&
         sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr) == SQLITE_OK &&
         sqlite3_exec(db, "PRAGMA cell_size_check = ON", nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

Statement::~Statement() {
  if (!stmt_) return;
  sqlite3_reset(stmt_);
  sqlite3_clear_bindings(stmt_);
}

Statement& Statement::bind(std::int64_t value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_int64(stmt_, next_++, value);
  return *this;
}
Statement& Statement::bind(double value) {
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_double(stmt_, next_++, value);
  return *this;
}
Statement& Statement::bind(std::string_view text) {
  if (code_ == SQLITE_OK)
    code_ =
        sqlite3_bind_text64(stmt_, next_++, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
  return *this;
}
Statement& Statement::bind(const std::optional<std::string>& text) {
  return text ? bind(*text) : bind(std::optional<double>());
}

Statement& Statement::bind(const std::optional<double>& value) {
  if (value) return bind(*value);
  if (code_ == SQLITE_OK) code_ = sqlite3_bind_null(stmt_, next_++);
  return *this;
}

Result<bool> Statement::step() {
  if (code_ != SQLITE_OK) return fail(db_->error(code_));
  const int code = sqlite3_step(stmt_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return fail(db_->error(code));
}

Status Statement::run() {
  for (;;) {
    const bool row = WW_TRY(step());
    if (!row) return {};
  }
}

bool Statement::null(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_NULL; }
bool Statement::holds_real(int column) const { return sqlite3_column_type(stmt_, column) == SQLITE_FLOAT; }
std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(stmt_, column); }
double Statement::real(int column) const { return sqlite3_column_double(stmt_, column); }
std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(stmt_, column));
  return bytes ? std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(stmt_, column))) : std::string();
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& file, Access access) {
  std::error_code ec;
  const auto kind = std::filesystem::status(file, ec).type();
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found && !ec)
    return fail(Code::io, "'" + file.string() + "' is not a regular file; choose another workspace folder");
  sqlite3* handle = nullptr;
  const bool writes = access == Access::create || access == Access::write;
  const int flags = SQLITE_OPEN_NOMUTEX | (writes ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY) |
                    (access == Access::create ? SQLITE_OPEN_CREATE : 0) |
                    (access == Access::immutable ? SQLITE_OPEN_URI : 0);
  const std::string name = access == Access::immutable ? immutable_uri(file) : file.string();
  static const char* const vfs = own_vfs();
  if (!vfs) return fail(Code::internal, "SQLite could not be set up");
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, vfs);
  std::unique_ptr<Database> db(new Database(handle, file));  // owns the handle even when opening failed, as SQLite asks
  if (code != SQLITE_OK) return fail(db->error(code));
  sqlite3_extended_result_codes(handle, 1);
  sqlite3_busy_timeout(handle, busy_milliseconds);
  if (!harden(handle)) return fail(db->error(SQLITE_ERROR));
  if (writes && sqlite3_db_readonly(handle, "main") == 1) return fail(db->error(SQLITE_READONLY));
  return db;
}

void Database::cancel_with(std::stop_token stop) {
  stop_ = std::move(stop);
  const auto asked = [](void* db) { return static_cast<int>(static_cast<Database*>(db)->stop_.stop_requested()); };
  sqlite3_progress_handler(db_, steps_between_looks, asked, this);
}

bool Database::gone() const {
  int moved = 0;
  return sqlite3_file_control(db_, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

Status Database::make_durable() {
  // The change to WAL does not wait for the busy timeout when another program makes the same change at this moment.
  Status wal;
  for (int attempt = 0; attempt < 200; ++attempt) {
    wal = exec("PRAGMA journal_mode = WAL");
    if (wal || wal.error().code != Code::timeout) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (!wal) return wal;
  return exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
}

Database::~Database() {
  for (auto& [sql, stmt] : cache_) sqlite3_finalize(stmt);
  sqlite3_close(db_);
}

Status Database::exec(const std::string& sql) {
  const int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return fail(error(code));
  return {};
}

Statement Database::prepare(std::string_view sql) {
  if (const auto found = cache_.find(sql); found != cache_.end()) return Statement(this, found->second, SQLITE_OK);
  sqlite3_stmt* stmt = nullptr;
  const int code =
      sqlite3_prepare_v3(db_, sql.data(), static_cast<int>(sql.size()), SQLITE_PREPARE_PERSISTENT, &stmt, nullptr);
  if (code == SQLITE_OK) cache_.emplace(std::string(sql), stmt);
  return Statement(this, stmt, code);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  Statement s = prepare(sql);
  const bool row = WW_TRY(s.step());
  return row ? s.integer(0) : 0;
}

std::int64_t Database::last_id() const { return sqlite3_last_insert_rowid(db_); }
std::int64_t Database::changes() const { return sqlite3_changes64(db_); }

Error Database::error(int code, const std::string& during) const {
  std::string cause =
      db_ && (sqlite3_errcode(db_) & 0xff) == (code & 0xff) ? sqlite3_errmsg(db_) : sqlite3_errstr(code);
  if (!during.empty()) cause = during + ": " + cause;
  return {code_of(code), sentence_of(code, file_.string()), std::move(cause)};
}

Transaction::Transaction(Database& db, bool flush)
    : db_(db),
      flush_(flush),
      begun_(db.exec(flush ? "BEGIN IMMEDIATE" : "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE")) {
  // Otherwise the rows would go to a file that no name leads to.
  if (!begun_ || !db.gone()) return;
  (void)db_.exec("ROLLBACK");
  begun_ =
      fail(Code::io, "the workspace database '" + db.file_.string() + "' was deleted or moved while it was in use");
}

Transaction::~Transaction() {
  if (open_ && begun_) (void)db_.exec("ROLLBACK");
  if (!flush_) (void)db_.exec("PRAGMA synchronous = FULL");
}

Status Transaction::commit() {
  if (!begun_) return begun_;
  const Status s = db_.exec("COMMIT");
  if (s) open_ = false;
  return s;
}

}  // namespace ww::store
