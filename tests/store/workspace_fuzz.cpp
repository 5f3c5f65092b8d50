// SPDX-License-Identifier: Apache-2.0
// libFuzzer: a workspace and a bundle that another person has prepared. The first byte says how: bytes of the file are
// changed (each change: offset in three bytes, length, the bytes), or the rest is SQL that is run on it. What opens is
// read from end to end, and what is imported is marked.
#include <sqlite3.h>
#include "base/hash.h"
#include "store/bundle.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/workspace.h"
#include "support/fuzz.h"

using namespace ww;
using namespace ww::store;
namespace fs = std::filesystem;

namespace {

struct Good {
  std::string workspace, bundle;  // bytes
};

const Good& good() {
  static const Good made = [] {
    const fs::path folder = fuzz::folder() / "good", bundle = fuzz::folder() / "good.wwb";
    auto w = Workspace::open(folder).value();
    RunRecord run;
    run.op = w->add_op("scale", "op scale(x: f32[N]) -> y: f32[N]\n default N = 4\n{ y[i] = x[i] }\n", "scale").value();
    run.generator = "search";
    run.device = "simt";
    run.options = "{}";
    CandidateRecord c;
    c.run = w->add_run(run).value();
    c.text = "//@ candidate scale\n//@ launch k grid(1) block(32) args(x, y)\n";
    c.hash = Hasher().field("cuda").field(c.text).hex();
    const std::int64_t id = w->add_candidate(c).value();
    evidence::Verdict v;
    v.candidate = c.hash;
    for (const evidence::Stage stage : evidence::all_stages)
      v.stages.push_back({stage, evidence::Outcome::passed, "fine", "", {}, 0.5});
    v.accepted = true;
    fuzz::require(w->set_verdict(id, v, 2.5, Provenance::simulated, "cost").has_value());
    fuzz::require(w->set_marks({id}, store::MarkKind::tag, "good", true).has_value());
    fuzz::require(w->add_message(c.run, MessageLevel::info, "begun").has_value());
    w.reset();
    fuzz::require(export_bundle(folder, bundle, 0, "fuzz").has_value());
    auto db = Database::open(folder / "workspace.sqlite", Database::Access::write).value();
    fuzz::require(db->exec("PRAGMA journal_mode = DELETE; VACUUM").has_value());
    db.reset();
    return Good{read_file(folder / "workspace.sqlite").value(), read_file(bundle).value()};
  }();
  return made;
}

void change_bytes(std::string& file, std::string_view changes) {
  while (changes.size() > 4) {
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(changes[i])); };
    const std::size_t at = (byte(0) << 16 | byte(1) << 8 | byte(2)) % file.size();
    const std::size_t length = std::min({1 + byte(3) % 32, changes.size() - 4, file.size() - at});
    file.replace(at, length, changes.substr(4, length));
    changes.remove_prefix(4 + length);
  }
}

// As whoever prepares the file would run it, but with an end, and with no other file.
void run_sql(const fs::path& file, const std::string& sql) {
  sqlite3* db = nullptr;
  if (sqlite3_open(file.c_str(), &db) == SQLITE_OK) {
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_set_authorizer(
        db,
        [](void*, int what, const char*, const char*, const char*, const char*) {
          return what == SQLITE_ATTACH ? SQLITE_DENY : SQLITE_OK;
        },
        nullptr);
    int left = 50;
    sqlite3_progress_handler(
        db, 1000, [](void* n) { return --*static_cast<int*>(n) < 0 ? 1 : 0; }, &left);
    sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr);
  }
  sqlite3_close(db);
}

void read_all(const fs::path& folder, bool imported) {
  auto opened = Workspace::open(folder);
  if (!opened) return;
  Workspace& w = **opened;
  const auto runs = w.runs();
  if (!runs) return;
  for (const RunRecord& r : *runs) {
    if (imported) fuzz::require(r.imported);
    (void)w.op(r.op);
    (void)w.messages(r.id);
    (void)w.exchanges(r.id);
    (void)w.marks(r.id);
    if (const auto candidates = w.candidates(r.id))
      for (const CandidateRecord& c : *candidates) {
        if (imported) fuzz::require(c.imported);
        (void)w.candidate(c.id);
        (void)w.measurements(c.id);
        (void)w.reviews(c.id);
      }
  }
  (void)w.moves("", "", 100);
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  sqlite3_hard_heap_limit64(std::int64_t{1} << 30);
  fuzz::seeds(*argc, *argv, [] {
    using namespace std::string_literals;
    return fuzz::Seeds{"a\x00\x00\x40\x03\x01\x02\x03\x00"s,
                       "b\x00\x10\x00\x07\x05\x06\x07\x08"s,
                       "cUPDATE verdict SET json = '{\"version\":2}'",
                       "cUPDATE candidate SET state = 'accepted', score = 1e999, hash = x'ff'",
                       "cINSERT INTO message(run, level, text, created) VALUES(1, 'error', zeroblob(1000), 7)",
                       "dUPDATE run SET options = '[[[[', op = 99",
                       "dPRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE VIEW run AS SELECT 1'",
                       "dUPDATE bundle SET digest = NULL; UPDATE blob SET bytes = 7",
                       "dPRAGMA user_version = -1"};
  });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const bool bundle = data[0] & 1, sql = data[0] & 2;
  const std::string rest(fuzz::view(data + 1, size - 1));
  std::string bytes = bundle ? good().bundle : good().workspace;
  if (!sql) change_bytes(bytes, rest);
  const fs::path folder = fuzz::folder() / "w", file = bundle ? fuzz::folder() / "b.wwb" : folder / "workspace.sqlite";
  fs::remove_all(folder);
  fs::create_directories(folder);
  fuzz::write(file, bytes);
  if (sql) run_sql(file, rest);
  if (bundle && !import_bundle(file, folder)) return 0;
  read_all(folder, bundle);
  if (!bundle) (void)export_bundle(folder, fuzz::folder() / "out.wwb", 0, "fuzz");
  return 0;
}
