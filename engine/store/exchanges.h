// SPDX-License-Identifier: Apache-2.0
// The rows of exchanges with models, of moves, and of the long texts shared by exchanges. The caller must hold the lock
// and the transaction.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "store/sqlite.h"
#include "store/workspace.h"

namespace ww::store {

// A stored request or reply is JSON with long strings (system prompts, sources) that repeat. Each string of at least
// 256 bytes is stored once in the table `text`; in the row it is replaced by the byte 0x01 and the text's hash. JSON
// contains no raw 0x01; a text that does is stored whole after the byte 0x02. join_texts restores the original bytes.
Result<std::string> split_texts(Database& db, std::string_view json);
Result<std::string> join_texts(Database& db, std::string_view kept);
void texts_of(std::string_view kept, std::set<std::string>& hashes);  // adds the hashes that it refers to
Status keep_used_texts(Database& db);  // keeps those referenced by exchanges; drops all others

Result<std::int64_t> insert_exchange(Database& db, const ExchangeRecord& exchange);
Status finish_exchange(Database& db, const ExchangeRecord& exchange);
Result<ExchangeRecord> read_exchange(Database& db, std::int64_t id);
Result<std::vector<ExchangeRecord>> list_exchanges(Database& db, std::int64_t run);
bool of_replay(Database& db, std::int64_t exchange);  // false if there is none

Result<std::int64_t> insert_move(Database& db, const MoveRecord& move);
Result<std::vector<MoveRecord>> list_moves(Database& db, const std::string& family, const std::string& device,
                                           std::size_t limit);

}  // namespace ww::store
