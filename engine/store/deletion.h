// SPDX-License-Identifier: Apache-2.0
// A run is deleted with all that belongs to it alone. What a reviewer wrote is never deleted, so a run that holds some
// stays. Numbers of runs, candidates and exchanges are never given a second time.
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

Result<DeletedRun> what_deletion_takes(Database& db, std::int64_t run);  // an error says why it cannot be deleted
Result<DeletedRun> delete_run(Database& db, std::int64_t run);           // in the caller's transaction

// SQL of the number of a new row in the table run, candidate or exchange: NULL (SQLite's own choice) unless that was
// given before.
std::string fresh_number(const std::string& table);

}  // namespace ww::store
