// SPDX-License-Identifier: Apache-2.0
#include "store/exchanges.h"
#include <algorithm>
#include "base/hash.h"
#include "store/deletion.h"

namespace ww::store {
namespace {

constexpr std::size_t shared_from = 256;  // bytes: below it, hash and row cost as much as is saved
constexpr std::size_t hash_size = 64;
constexpr char text_mark = '\x01', whole_mark = '\x02';

Result<std::string> keep_text(Database& db, std::string_view text) {
  std::string hash = hash_hex(text);
  Statement s = db.prepare("INSERT INTO text(hash, text) VALUES(?, ?) ON CONFLICT DO NOTHING");
  WW_TRY(s.bind(hash, text).run());
  return hash;
}

#define WW_EXCHANGE_COLUMNS                                                                                          \
  "id, coalesce(run, 0), role, label, model, provider, host, request_hash, prompt, state, why, outcome, candidate, " \
  "prompt_tokens,"                                                                                                   \
  " cached_tokens, cache_written_tokens, completion_tokens, reasoning_tokens, tokens_reported, money, attempts, "    \
  "first_token_seconds,"                                                                                             \
  " seconds, created, ended, code, strategy, lineage, task, step, subject, batch, batch_item"

ExchangeRecord read_row(const Statement& s) {
  ExchangeRecord e;
  s.read(e.id, e.run, e.role, e.label, e.model, e.provider, e.host, e.request_hash, e.prompt, e.state, e.why, e.outcome,
         e.candidate, e.prompt_tokens, e.cached_tokens, e.cache_written_tokens, e.completion_tokens, e.reasoning_tokens,
         e.tokens_reported, e.money, e.attempts, e.first_token_seconds, e.seconds, e.created, e.ended, e.code,
         e.origin.strategy, e.origin.lineage, e.origin.task, e.origin.step, e.origin.subject, e.batch, e.batch_item);
  return e;
}

tl::unexpected<Error> absent(std::int64_t id) {
  return fail(Code::not_found, "the workspace has no exchange " + std::to_string(id));
}

}  // namespace

std::string origin_text(const Origin& o) {
  return o.strategy.empty() ? std::string() : o.strategy + "/" + o.lineage + " #" + std::to_string(o.task);
}

Result<std::string> split_texts(Database& db, std::string_view json) {
  if (json.find(text_mark) != json.npos || (!json.empty() && json.front() == whole_mark))
    return whole_mark + std::string(json);
  std::string kept;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = json.find('"', at)) != json.npos;) {  // of a string's beginning
    const std::size_t begin = ++at;
    while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
    if (at >= json.size()) break;  // not JSON: leave the rest unchanged
    if (at - begin >= shared_from) {
      std::string hash = WW_TRY(keep_text(db, json.substr(begin, at - begin)));
      kept.append(json.substr(copied, begin - copied)).append(1, text_mark).append(hash);
      copied = at;
    }
    ++at;
  }
  return kept.append(json.substr(copied));
}

Result<std::string> join_texts(Database& db, std::string_view kept) {
  if (!kept.empty() && kept.front() == whole_mark) return std::string(kept.substr(1));
  std::string json;
  std::size_t copied = 0;
  for (std::size_t at = 0; (at = kept.find(text_mark, at)) != kept.npos;) {
    json.append(kept.substr(copied, at - copied));
    const std::string_view hash = kept.substr(at + 1, hash_size);
    Statement s = db.prepare("SELECT text FROM text WHERE hash = ?");
    const bool row = WW_TRY(s.bind(hash).step());
    if (!row) return fail(Code::corrupt, "the workspace lost the text " + std::string(hash) + " of an exchange");
    json += s.text(0);
    at = copied = std::min(kept.size(), at + 1 + hash_size);
  }
  return json.append(kept.substr(copied));
}

void texts_of(std::string_view kept, std::set<std::string>& hashes) {
  if (!kept.empty() && kept.front() == whole_mark) return;
  for (std::size_t at = 0; (at = kept.find(text_mark, at)) != kept.npos;
       at += std::min(kept.size() - at, 1 + hash_size))
    hashes.emplace(kept.substr(at + 1, hash_size));
}

Status keep_used_texts(Database& db) {
  std::set<std::string> wanted;
  {
    Statement s = db.prepare("SELECT request, reply, raw FROM exchange");
    WW_TRY(each_row(s, [&](Statement& row) {
      for (int i = 0; i < 3; ++i) texts_of(row.text(i), wanted);
      return Status();
    }));
  }
  WW_TRY(db.exec("CREATE TEMP TABLE wanted(hash TEXT PRIMARY KEY) WITHOUT ROWID"));
  for (const std::string& hash : wanted) {
    Statement s = db.prepare("INSERT INTO wanted(hash) VALUES(?)");
    WW_TRY(s.bind(hash).run());
  }
  return db.exec("DELETE FROM text WHERE hash NOT IN (SELECT hash FROM wanted); DROP TABLE temp.wanted");
}

Result<std::int64_t> insert_exchange(Database& db, const ExchangeRecord& e) {
  const std::string request = WW_TRY(split_texts(db, e.request));
  Statement s = db.prepare(std::string("INSERT INTO exchange(id, run, role, label, model, provider, host, request, "
                                       "request_hash, prompt, prompt_tokens, "
                                       "money, strategy, lineage, task, step, subject, state, created) VALUES(") +
                           fresh_number("exchange") +
                           ", nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'sent', " + now_sql + ")");
  WW_TRY(s.bind(e.run, enum_name(e.role), e.label, e.model, e.provider, e.host, request, e.request_hash, e.prompt,
                e.prompt_tokens, e.money, e.origin.strategy, e.origin.lineage, static_cast<std::int64_t>(e.origin.task),
                enum_string(e.origin.step), e.origin.subject)
             .run());
  return db.last_id();
}

Status finish_exchange(Database& db, const ExchangeRecord& e) {
  const std::string reply = WW_TRY(split_texts(db, e.reply));
  const std::string raw = WW_TRY(split_texts(db, e.raw));
  {
    Statement s = db.prepare(
        std::string("UPDATE exchange SET state = ?, reply = ?, raw = ?, why = ?, code = ?, prompt_tokens = ?, "
                    "cached_tokens = ?, "
                    "cache_written_tokens = ?,"
                    " completion_tokens = ?, reasoning_tokens = ?, tokens_reported = ?, money = ?, attempts = ?, "
                    "first_token_seconds = ?,"
                    " seconds = ?, host = coalesce(nullif(?, ''), host), ended = ") +
        now_sql + " WHERE id = ?");
    s.bind(enum_string(e.state), reply, raw, e.why, e.code, e.prompt_tokens, e.cached_tokens, e.cache_written_tokens,
           e.completion_tokens, e.reasoning_tokens, std::int64_t{e.tokens_reported}, e.money, std::int64_t{e.attempts},
           e.first_token_seconds, e.seconds, e.host, e.id);
    WW_TRY(s.run());
  }
  if (db.changes() == 0) return absent(e.id);
  return {};
}

Result<ExchangeRecord> read_exchange(Database& db, std::int64_t id) {
  ExchangeRecord e;
  std::string request, reply, raw;
  {
    Statement s = db.prepare("SELECT " WW_EXCHANGE_COLUMNS ", request, reply, raw FROM exchange WHERE id = ?");
    const bool row = WW_TRY(s.bind(id).step());
    if (!row) return absent(id);
    e = read_row(s);
    request = s.text(33);
    reply = s.text(34);
    raw = s.text(35);
  }
  for (const auto& [member, kept] : {std::pair{&e.request, &request}, {&e.reply, &reply}, {&e.raw, &raw}}) {
    std::string whole = WW_TRY(join_texts(db, *kept));
    *member = std::move(whole);
  }
  return e;
}

Result<std::vector<ExchangeRecord>> list_exchanges(Database& db, std::int64_t run) {
  Statement s = db.prepare("SELECT " WW_EXCHANGE_COLUMNS " FROM exchange WHERE run IS nullif(?, 0) ORDER BY id");
  s.bind(run);
  return rows_of(s, read_row);
}

bool of_replay(Database& db, std::int64_t exchange) {
  if (exchange == 0) return false;
  Statement s = db.prepare("SELECT provider = 'replay' FROM exchange WHERE id = ?");
  const Result<bool> row = s.bind(exchange).step();
  return row && *row && s.integer(0) != 0;
}

Result<std::int64_t> insert_move(Database& db, const MoveRecord& m) {
  Statement s = db.prepare(
      std::string("INSERT INTO move(run, parent, child, move, family, device, provenance, effect, low, high, created)"
                  " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ") +
      now_sql + ")");
  WW_TRY(s.bind(m.run, m.from, m.to, m.move, m.family, m.device, enum_string(m.provenance), m.effect, m.low, m.high)
             .run());
  return db.last_id();
}

Result<std::vector<MoveRecord>> list_moves(Database& db, const std::string& family, const std::string& device,
                                           std::size_t limit) {
  Statement s = db.prepare(
      "SELECT id, run, parent, child, move, family, device, provenance, effect, low, high, created FROM move"
      " WHERE (?1 = '' OR family = ?1) AND (?2 = '' OR device = ?2) ORDER BY id DESC LIMIT ?3");
  s.bind(family, device, static_cast<std::int64_t>(std::min<std::size_t>(limit, std::size_t{1} << 40)));
  return rows_of(s, [](const Statement& row) {
    return MoveRecord{row.integer(0), row.integer(1), row.text(2),  row.text(3),
                      row.text(4),    row.text(5),    row.text(6),  enum_or_unknown<Provenance>(row.text(7)),
                      row.real(8),    row.real(9),    row.real(10), row.text(11)};
  });
}

#undef WW_EXCHANGE_COLUMNS

}  // namespace ww::store
