// SPDX-License-Identifier: Apache-2.0
// Deletes a run with everything that belongs only to it. A reviewer's work is never deleted, so a run that has some is
// kept. Numbers of runs, candidates and exchanges are never reused.
#pragma once
#include <cstdint>
#include <string>
#include "base/result.h"
#include "store/sqlite.h"

namespace ww::store {

struct DeletedRun {
  std::int64_t run = 0;
  std::string op;
  int candidates = 0, exchanges = 0, measurements = 0;
};

Result<DeletedRun> deletion_preview(Database& db, std::int64_t run);  // an error tells why it cannot be deleted
Result<DeletedRun> delete_run(Database& db, std::int64_t run);        // in the caller's transaction

// SQL of the number of a new row in the table run, candidate or exchange: NULL (SQLite's choice) unless that would
// reuse a number.
std::string fresh_number(const std::string& table);

}  // namespace ww::store
