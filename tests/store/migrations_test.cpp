// SPDX-License-Identifier: Apache-2.0
// Workspaces of earlier versions: each step of the schema, and what it makes of the rows.
#include <QtTest>
#include "evidence/verdict_json.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::opened;
namespace fs = std::filesystem;

namespace {

evidence::Verdict rejected() {
  evidence::Verdict v = support::passed();
  v.accepted = false;
  v.stages[2].outcome = evidence::Outcome::failed;
  v.stages[2].message = "y differs from the reference";
  v.stages[2].failure.emplace().case_name = "odd";
  return v;
}

// As the first `steps` migrations leave it, with an op and a run.
std::unique_ptr<Database> old_workspace(const fs::path& folder, std::ptrdiff_t steps) {
  fs::create_directories(folder);
  const std::vector<Migration> first(migrations().begin(), migrations().begin() + steps);
  auto db = Database::open(folder / "workspace.sqlite", Database::Access::create).value();
  if (!check_ours(*db, first, folder) || !migrate(*db, first, folder) ||
      !db->exec("INSERT INTO op VALUES(1, 'scale', 't', 's', 'c'); INSERT INTO run(id, op, generator, device, "
                "architecture, options, state, created, ended) VALUES(1, 1, 'search', 'simt', 'sm_80', '{}', 'done', "
                "'c', 'e')"))
    qFatal("no workspace of %td migrations", steps);
  return db;
}

// A candidate of its run.
bool add_candidate(Database& db, std::size_t id, const std::string& state, const std::string& title = "",
                   const std::string& note = "") {
  const std::string n = std::to_string(id);
  return db
      .exec("INSERT INTO source VALUES('h" + n + "', 'cuda', 't" + n +
            "'); INSERT INTO candidate(id, run, hash, parent, structure, title, generator, note, state, "
            "created) VALUES(" +
            n + ", 1, 'h" + n + "', '', '', '" + title + "', 'search', '" + note + "', '" + state + "', 'c')")
      .has_value();
}

bool add_verdict(Database& db, std::size_t candidate, const std::string& json) {
  Statement s = db.prepare("INSERT INTO verdict(candidate, json, ptx, created) VALUES(?, ?, '', 'c')");
  return s.bind(static_cast<std::int64_t>(candidate), json).run().has_value();
}

}  // namespace

class MigrationsTest : public QObject, support::Folders {
  Q_OBJECT

 private slots:
  void migrationsStepByStep() {
    const fs::path file = fresh();
    const std::vector<Migration> one = {{"CREATE TABLE a(x); INSERT INTO a VALUES(1);"}};
    const std::vector<Migration> two = {one[0], {"ALTER TABLE a ADD COLUMN y DEFAULT 5;"}};
    {
      auto db = Database::open(file, Database::Access::create).value();
      QVERIFY(check_ours(*db, one, file) && migrate(*db, one, file));
      QCOMPARE(db->integer("PRAGMA user_version").value(), std::int64_t{1});
    }
    {
      auto db = Database::open(file, Database::Access::write).value();
      QVERIFY(check_ours(*db, two, file) && migrate(*db, two, file));
      QVERIFY(migrate(*db, two, file));  // nothing more to do
      QCOMPARE(db->integer("SELECT x + y FROM a").value(), std::int64_t{6});
    }
    auto db = Database::open(file, Database::Access::write).value();
    const Status newer = check_ours(*db, one, file);
    QVERIFY(!newer);
    QCOMPARE(newer.error().code, Code::unsupported);
    QVERIFY(newer.error().message.find("newer") != std::string::npos);
    const std::vector<Migration> broken = {one[0], two[1], {"CREATE TABLE b(x); CREATE TABLE a(x);"}};
    QVERIFY(!migrate(*db, broken, file));  // a step that fails leaves nothing behind
    QCOMPARE(db->integer("PRAGMA user_version").value(), std::int64_t{2});
    QCOMPARE(db->integer("SELECT count(*) FROM sqlite_master WHERE name = 'b'").value(), std::int64_t{0});
  }

  void attemptsMoveFromNotesIntoColumns() {
    const fs::path folder = fresh();
    {
      const auto db = old_workspace(folder, 5);
      const auto add = [&](int id, const std::string& note) {
        const std::string n = std::to_string(id);
        QVERIFY(db->exec(
            "INSERT INTO source VALUES('h" + n + "', 'cuda', '//@ candidate c" + n +
            "\n//@ tune BLOCK = 64\n//@ tune WIDE = 4\n//@ launch k grid(1) block(BLOCK) args()\nextern \"C\" "
            "__global__ void k() {}\n'); INSERT INTO candidate(id, run, hash, parent, structure, title, "
            "generator, note, state, created, score, score_provenance) VALUES(" +
            n + ", 1, 'h" + n + "', '', '', '', 'model/beam', '" + note + "', 'accepted', 'c', 2, 'measured')"));
      };
      const auto ask = [&](const std::string& label) {
        QVERIFY(
            db->exec("INSERT INTO exchange(run, role, label, model, provider, host, request, request_hash, prompt, "
                     "state, created) VALUES(1, 'writer', '" +
                     label + "', '', '', '', '{}', '', '', 'replied', 'c')"));
      };
      add(1, "uses x[i] and [y/2 #3] [evolve/island 3 #17: BLOCK = 64 | 128; UNROLL = 1 | -2]");
      add(2, "[beam/2 #18]");
      int id = 2;
      for (const char* none :
           {"", "a[i]", "[/ #1]", "[a/b #]", "[a/b #x]", "[a/b #1: C]", "[a/b #1: C = x]", "[a #1/b]"})
        add(++id, none);
      ask("revision of candidate 2 [beam/review #19], repair");
      ask("fresh attempt [beam/1 #20]");
      ask("a sentence");
      QVERIFY(
          db->exec("INSERT INTO verdict(candidate, json, ptx, created) VALUES(1, "
                   "'{\"metrics\":{\"values\":{\"q1_us\":1.5,\"q3_us\":2.5,\"samples\":100},"
                   "\"conditions\":{\"gpu\":\"NVIDIA H200\"}}}', '', 'c')"));
    }
    auto w = opened(folder);
    const auto list = w->candidates(1).value();
    const Origin& first = list[0].origin;
    QVERIFY(first.strategy == "evolve" && first.lineage == "island 3" && first.task == 17);
    QCOMPARE(list[0].note, std::string("uses x[i] and [y/2 #3]"));
    const auto draft = candidate::parse(list[0].draft, candidate::Language::cuda).value();
    QCOMPARE(draft.tune[0].values, (std::vector<std::int64_t>{64, 128}));
    QCOMPARE(draft.tune[1].values, (std::vector<std::int64_t>{4}));
    QVERIFY(list[0].spread.q1 == 1.5 && list[0].spread.q3 == 2.5 && list[0].spread.samples == 100 &&
            list[0].spread.gpu == "NVIDIA H200" && std::isnan(list[0].spread.floor));
    QVERIFY(!list[0].identity && list[0].changed > 0);
    QVERIFY(list[1].origin.strategy == "beam" && list[1].note.empty() && list[1].draft.empty());
    for (std::size_t i = 2; i < list.size(); ++i) QVERIFY2(list[i].origin.strategy.empty(), list[i].note.c_str());
    QCOMPARE(list[3].note, std::string("a[i]"));
    const auto asked = w->exchanges(1).value();
    QVERIFY(asked[0].origin.step == Step::revise && asked[0].origin.subject == "h2" && asked[0].origin.task == 19 &&
            asked[0].origin.lineage == "review");
    QVERIFY(asked[1].origin.step == Step::fresh && asked[1].origin.subject.empty() && asked[1].origin.task == 20);
    QVERIFY(asked[2].origin.step == Step::unknown && asked[2].origin.strategy.empty());
  }

  void tuningsAndMovesGetColumns() {
    const fs::path folder = fresh();
    const std::vector<std::pair<std::string, Tuning>> titles = {
        {"One warp per row (WARPS 4, UNROLL -2)", {{"WARPS", 4}, {"UNROLL", -2}}},
        {"BLOCK 128", {{"BLOCK", 128}}},
        {"Tiles (in two parts) (BLOCK 64)", {{"BLOCK", 64}}},
        {"Tiles (fast)", {}},
        {"Tiles (BLOCK 64, fast)", {}},
        {"Tiles (BLOCK 99999999999999999999)", {}},
        {"Tiles ()", {}},
        {"", {}}};
    {
      const auto db = old_workspace(folder, 14);
      for (std::size_t i = 0; i < titles.size(); ++i)
        QVERIFY(
            add_candidate(*db, i + 1, "queued", titles[i].first, "vectorise loads: float4, " + std::to_string(i + 1)));
    }
    const auto list = opened(folder)->candidates(1).value();
    QCOMPARE(list.size(), titles.size());
    for (std::size_t i = 0; i < titles.size(); ++i) {
      QVERIFY2(list[i].tuning == titles[i].second, titles[i].first.c_str());
      QCOMPARE(list[i].title, titles[i].first);
      QCOMPARE(list[i].origin.move, std::string("vectorise loads"));  // from the note
    }
  }

  // Rejections that nothing proved, and what had failed outside the candidate, were states of their own before.
  void whatRanOutIsNotJudged() {
    const fs::path folder = fresh();
    {
      const auto db = old_workspace(folder, 7);
      std::size_t id = 0;
      const auto add = [&](const std::string& state, const std::string& summary, const std::string& json) {
        QVERIFY(add_candidate(*db, ++id, state));
        QVERIFY(db->exec("UPDATE candidate SET summary = '" + summary +
                         "', failed_stage = 'smoke' WHERE id = " + std::to_string(id)));
        if (!json.empty()) QVERIFY(add_verdict(*db, id, json));
      };
      const auto verdict = [](const char* kind) {
        evidence::Verdict v = rejected();
        v.stages[2].failure.emplace().fault.emplace().message = "it ended";
        std::string json = evidence::verdict_to_json(v);
        const auto replace = [&](const std::string& from, const std::string& to) {
          json.replace(json.find(from), from.size(), to);
        };
        replace("\"version\":3", "\"version\":2");
        replace("\"kind\":\"unknown\"", std::string("\"kind\":\"") + kind + "\"");
        return json;
      };
      add("error", "the worker died", "");
      for (const char* kind : {"timeout", "infinite loop", "unsupported", "out of bounds"})
        add("rejected", "rejected at smoke: it ended", verdict(kind));
      add("rejected", "rejected at smoke: damaged", "{\"timeout\"");
    }
    auto w = opened(folder);
    const auto list = w->candidates(1).value();
    QCOMPARE(list.size(), std::size_t{6});
    for (std::size_t i = 0; i < 4; ++i) {
      QCOMPARE(list[i].state, store::CandidateState::not_judged);
      QVERIFY2(list[i].summary.starts_with("not judged"), list[i].summary.c_str());
    }
    QVERIFY(!list[1].failed_stage);
    for (std::size_t i = 4; i < 6; ++i) QCOMPARE(list[i].state, store::CandidateState::rejected);
    QCOMPARE(w->candidate(2)->verdict->ruling(), evidence::Ruling::not_judged);
  }

  // A list says where each was proved, and at how many cases; workspaces of before learn it from their verdicts.
  void whereItWasProvedIsKept() {
    using evidence::ProvedAt;
    const auto accepted = [](std::vector<evidence::CaseCoverage> coverage) {
      evidence::Verdict v = support::passed();
      v.coverage = std::move(coverage);
      return v;
    };
    const std::vector<evidence::Verdict> verdicts = {accepted({{"default", {}, true, 5}, {"odd", {}, true, 5}}),
                                                     accepted({{"default", {}, true, 0}, {"reduced", {}, true, 5}}),
                                                     accepted({{"default", {}, true, 5}, {"odd", {}, false, 0}}),
                                                     accepted({}), rejected()};
    const std::vector<std::optional<evidence::CaseCounts>> counts = {{{2, 2}}, {{1, 2}}, {{1, 2}}, {}, {}};
    const std::vector<ProvedAt> expected = {ProvedAt::asked_shape, ProvedAt::smaller_shapes, ProvedAt::asked_shape,
                                            ProvedAt::unknown, ProvedAt::unknown};
    const fs::path folder = fresh();
    {
      const auto db = old_workspace(folder, 8);
      for (std::size_t i = 0; i < verdicts.size(); ++i) {
        QVERIFY(add_candidate(*db, i + 1, enum_string(state_of(verdicts[i]))));
        QVERIFY(add_verdict(*db, i + 1, evidence::verdict_to_json(verdicts[i])));
      }
    }
    auto w = opened(folder);
    const auto migrated = w->candidates(1).value();
    QCOMPARE(migrated.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      QCOMPARE(migrated[i].proved_at, expected[i]);
      QVERIFY(migrated[i].cases == counts[i]);
    }
    for (std::size_t i = 0; i < verdicts.size(); ++i)
      QVERIFY(w->set_verdict(static_cast<std::int64_t>(verdicts.size() - i), verdicts[i], std::nullopt,
                             Provenance::unknown, "", ""));
    const auto stored = w->candidates(1).value();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      QCOMPARE(stored[expected.size() - 1 - i].proved_at, expected[i]);
      QVERIFY(stored[expected.size() - 1 - i].cases == counts[i]);
    }
  }
  // Verdicts that nobody can read do not keep a workspace closed; counts that no judgement gives are unknown.
  void strangeCountsAreUnknown() {
    const fs::path folder = fresh();
    {
      const auto db = old_workspace(folder, 11);
      int id = 0;
      for (const char* json :
           {"{\"coverage\":[\"claimed\",{\"claimed\":true,\"seeds\":5},7,null]}", "{\"coverage\":{\"claimed\":true}}",
            "{\"coverage\"", "{\"coverage\":[{\"claimed\":\"yes\",\"seeds\":[]}]}"}) {
        const std::string n = std::to_string(++id);
        QVERIFY(db->exec("INSERT INTO source VALUES('h" + n + "', 'cuda', 't" + n +
                         "'); INSERT INTO candidate(id, run, hash, parent, structure, title, generator, note, state, "
                         "created) VALUES(" +
                         n + ", 1, 'h" + n + "', '', '', '', 'search', '', 'accepted', 'c')"));
        Statement s = db->prepare("INSERT INTO verdict(candidate, json, ptx, created) VALUES(?, ?, '', 'c')");
        QVERIFY(s.bind(static_cast<std::int64_t>(id), json).run());
      }
    }
    auto w = opened(folder);
    const std::vector<std::optional<evidence::CaseCounts>> counts = {{{1, 4}}, {}, {}, {{0, 1}}};
    const auto list = w->candidates(1).value();
    QCOMPARE(list.size(), counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) QVERIFY2(list[i].cases == counts[i], std::to_string(i).c_str());
    {
      auto db = Database::open(folder / "workspace.sqlite", Database::Access::write).value();
      QVERIFY(
          db->exec("UPDATE candidate SET proved_cases = 5 WHERE id = 1; UPDATE candidate SET proved_cases = -2 "
                   "WHERE id = 4"));
    }
    const auto candidates = opened(folder)->candidates(1);
    for (const auto& c : candidates.value()) QVERIFY(!c.cases);
  }
};

QTEST_GUILESS_MAIN(MigrationsTest)
#include "migrations_test.moc"
