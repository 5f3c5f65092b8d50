// SPDX-License-Identifier: Apache-2.0
#include <QTemporaryDir>
#include <QtTest>
#include <csignal>
#include <cstdio>
#include <sqlite3.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"
#include "store/schema.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::new_run;
using ww::support::opened;
namespace fs = std::filesystem;

namespace {

CandidateRecord candidate_of(std::int64_t run, const std::string& text) {
  CandidateRecord c;
  c.run = run;
  c.text = text;
  c.hash = hash_hex(text);
  c.structure = "row-warp";
  c.title = "one warp for each row";
  c.generator = "search";
  c.language = "cuda";
  return c;
}

gate::Verdict verdict_of(bool accepted, const std::string& ptx = ".version 8.0") {
  gate::Verdict v;
  v.candidate = "c";
  v.device = "simt";
  v.accepted = accepted;
  for (const gate::Stage stage : gate::all_stages)
    v.stages.push_back({stage, gate::Outcome::passed, "fine", "", {}, 0.5});
  if (!accepted) {
    gate::StageResult& s = v.stages[2];
    s.outcome = gate::Outcome::failed;
    s.message = "y differs from the reference";
    gate::Failure f;
    f.case_name = "odd";
    f.binding.symbols["C"] = 33;
    f.seed = 3;
    f.element = gate::FailingElement{"y", {1, 2}, 0.5, -0.25, 1e-6, 12, 7, 99};
    s.failure = f;
  }
  v.resources.push_back({"k", 24, 128, 0, 0, 0, 352, 1});
  gate::Metrics m;
  m.provenance = "simulated";
  m.device = "simt";
  m.values = {{"warp_instructions", 1234.0}};
  v.metrics = m;
  v.ptx = ptx;
  v.seconds = 0.25;
  return v;
}

// In a child process: candidates with verdicts as fast as possible; each id is reported once its verdict is stored.
[[noreturn]] void write_forever(const fs::path& folder, std::int64_t run, int pipe, int first, int count) {
  auto w = Workspace::open(folder);
  if (!w) _exit(3);
  for (int i = first; count < 0 || i < first + count; ++i) {
    const auto id = (*w)->add_candidate(candidate_of(run, "text " + std::to_string(i)));
    if (!id || !(*w)->set_verdict(*id, verdict_of(true, "ptx " + std::to_string(i)), i, "simulated", "slots")) _exit(4);
    if (::write(pipe, &*id, sizeof *id) != sizeof *id) _exit(5);
  }
  _exit(0);
}

std::vector<std::int64_t> read_ids(int pipe) {
  std::vector<std::int64_t> ids;
  std::int64_t id;
  while (::read(pipe, &id, sizeof id) == sizeof id) ids.push_back(id);
  return ids;
}

}  // namespace

class StoreTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  int folders_ = 0;
  fs::path fresh() { return fs::path(dir_.path().toStdString()) / ("w" + std::to_string(++folders_)); }

 private slots:
  void everythingComesBack() {
    const fs::path folder = fresh();
    std::int64_t run = 0, id = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
      CandidateRecord c = candidate_of(run, "//@ candidate softmax\n\"quotes\" and \xC3\xA9");
      c.parent = std::string(64, 'a');
      c.note = "why";
      id = w->add_candidate(c).value();
      QCOMPARE(w->candidate(id)->state, std::string("queued"));
      QVERIFY(!w->candidate(id)->verdict);
      QVERIFY(w->set_verdict(id, verdict_of(false), std::nullopt, "", ""));
      QVERIFY(w->add_message(run, "info", "hello"));
    }
    auto w = opened(folder);
    const CandidateRecord c = w->candidate(id).value();
    QCOMPARE(c.text, std::string("//@ candidate softmax\n\"quotes\" and \xC3\xA9"));
    QCOMPARE(c.parent, std::string(64, 'a'));
    QCOMPARE(c.note, std::string("why"));
    QCOMPARE(c.state, std::string("rejected"));
    QVERIFY(!c.score);
    QVERIFY(c.verdict.has_value());
    QCOMPARE(c.verdict->ptx, std::string(".version 8.0"));
    QCOMPARE(c.verdict->stages.size(), std::size_t{6});
    const auto& failure = c.verdict->stages[2].failure;
    QVERIFY(failure && failure->element);
    QCOMPARE(failure->element->index, (std::vector<std::int64_t>{1, 2}));
    QCOMPARE(failure->element->expected, 0.5);
    QCOMPARE(failure->binding.symbols.at("C"), std::int64_t{33});
    QCOMPARE(c.resources.at(0).registers, 24);
    QCOMPARE(c.summary, verdict_of(false).summary());
    QVERIFY(c.order > 0 && !c.judged.empty());
    const auto list = w->candidates(run).value();
    QCOMPARE(list.size(), std::size_t{1});
    QVERIFY(!list[0].verdict);  // lists do not load evidence
    QCOMPARE(list[0].resources.at(0).static_shared, std::int64_t{128});
    QCOMPARE(w->messages(run)->at(0).text, std::string("hello"));
  }

  void sameTextOncePerRun() {
    auto w = opened(fresh());
    const std::int64_t a = new_run(*w), b = new_run(*w);
    bool known = true;
    const std::int64_t first = w->add_candidate(candidate_of(a, "text"), &known).value();
    QVERIFY(!known);
    QCOMPARE(w->add_candidate(candidate_of(a, "text"), &known).value(), first);
    QVERIFY(known);
    const std::int64_t other = w->add_candidate(candidate_of(b, "text"), &known).value();
    QVERIFY(!known && other != first);
    QCOMPARE(w->find_candidate(hash_hex("text").substr(0, 8))->id, other);  // the latest of them
    QCOMPARE(w->run(a)->op, w->run(b)->op);                                 // the same op is stored once
  }

  void runCountsAndStates() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    QCOMPARE(w->run(run)->state, std::string("running"));
    QVERIFY(w->run(run)->ended.empty());
    const std::int64_t a = w->add_candidate(candidate_of(run, "a")).value();
    const std::int64_t b = w->add_candidate(candidate_of(run, "b")).value();
    const std::int64_t c = w->add_candidate(candidate_of(run, "c")).value();
    w->add_candidate(candidate_of(run, "d")).value();
    QVERIFY(w->set_verdict(b, verdict_of(true), 7.5, "simulated", "slots"));
    QVERIFY(w->set_verdict(a, verdict_of(false), std::nullopt, "simulated", "slots"));
    QVERIFY(w->set_error(c, "the worker's reply was corrupt"));
    const RunRecord r = w->run(run).value();
    QCOMPARE(r.proposed, 4);
    QCOMPARE(r.judged, 3);
    QCOMPARE(r.accepted, 1);
    QVERIFY(w->candidate(a)->order > w->candidate(b)->order);  // order of judgement, not of proposal
    QCOMPARE(w->candidate(b)->score.value(), 7.5);
    QVERIFY(w->candidate(a)->score_unit.empty());  // no unit without a score
    QCOMPARE(w->candidate(c)->state, std::string("error"));
    QVERIFY(w->set_run_state(run, "done"));
    QVERIFY(!w->run(run)->ended.empty());
    QVERIFY(w->set_run_state(run, "running"));
    QVERIFY(w->run(run)->ended.empty());
    QCOMPARE(w->runs()->front().id, run);
  }

  void badReferencesAreRefused() {
    auto w = opened(fresh());
    QCOMPARE(w->run(77).error().code, Code::not_found);
    QCOMPARE(w->candidate(77).error().code, Code::not_found);
    QCOMPARE(w->set_verdict(77, verdict_of(true), {}, "", "").error().code, Code::not_found);
    QCOMPARE(w->set_run_state(77, "done").error().code, Code::not_found);
    QCOMPARE(w->add_message(77, "info", "x").error().code, Code::not_found);
    QCOMPARE(w->add_candidate(candidate_of(77, "x")).error().code, Code::not_found);
    RunRecord r;
    r.op = 77;
    QCOMPARE(w->add_run(r).error().code, Code::not_found);
    const std::int64_t run = new_run(*w);  // a failed write leaves no transaction open
    QVERIFY(w->add_candidate(candidate_of(run, "x")));
  }

  void findingCandidates() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    CandidateRecord a = candidate_of(run, "a"), b = candidate_of(run, "b");
    a.hash = "abcd1" + std::string(59, '0');
    b.hash = "abcd2" + std::string(59, '0');
    const std::int64_t id = w->add_candidate(a).value();
    w->add_candidate(b).value();
    QCOMPARE(w->find_candidate(std::to_string(id))->hash, a.hash);
    QCOMPARE(w->find_candidate("abcd1")->id, id);
    QCOMPARE(w->find_candidate(a.hash)->id, id);
    QCOMPARE(w->find_candidate("abcd").error().code, Code::invalid_argument);
    QVERIFY(w->find_candidate("abcd").error().message.find("abcd1") != std::string::npos);
    for (const char* bad : {"", "abc", "ffffffff", "nonsense", "999", "'; DROP TABLE run", "99999999999999999999999"})
      QCOMPARE(w->find_candidate(bad).error().code, Code::not_found);
  }

  void blobs() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const std::string bytes("a\0b", 3);
    const std::string hash = w->put_blob(bytes).value();
    QCOMPARE(w->get_blob(hash).value(), bytes);
    QCOMPARE(w->get_blob(std::string(64, '0')).error().code, Code::not_found);
    QCOMPARE(w->get_blob("../../etc/passwd").error().code, Code::invalid_argument);
    QVERIFY(write_file_atomic(folder / "blobs" / hash.substr(0, 2) / hash, "other"));
    QCOMPARE(w->get_blob(hash).error().code, Code::corrupt);
    QCOMPARE(w->put_blob(bytes).value(), hash);  // repairs it
    QCOMPARE(w->get_blob(hash).value(), bytes);
  }

  void lostPtxLeavesTheVerdict() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const std::int64_t id = w->add_candidate(candidate_of(new_run(*w), "x")).value();
    QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, "simulated", "slots"));
    fs::remove_all(folder / "blobs");
    QVERIFY(w->candidate(id)->verdict->accepted);
    QVERIFY(w->candidate(id)->verdict->ptx.empty());
  }

  void survivesTheDeathOfItsWriter() {
    const fs::path folder = fresh();
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
    }
    std::size_t reported_in_all = 0;
    for (int round = 0; round < 6; ++round) {
      int ends[2];
      QVERIFY(::pipe(ends) == 0);
      const pid_t child = ::fork();
      if (child == 0) {
        ::close(ends[0]);
        write_forever(folder, run, ends[1], round * 100000, -1);
      }
      ::close(ends[1]);
      std::vector<std::int64_t> reported;
      std::int64_t id = 0;
      // Killed after a different number of reports each time, and a different while after the last.
      for (int i = 0; i < 2 + 3 * round && ::read(ends[0], &id, sizeof id) == sizeof id; ++i) reported.push_back(id);
      for (volatile int spin = 0; spin < round * 150000; spin = spin + 1) {}
      ::kill(child, SIGKILL);
      int status = 0;
      ::waitpid(child, &status, 0);
      QVERIFY(WIFSIGNALED(status));
      for (const std::int64_t more : read_ids(ends[0])) reported.push_back(more);
      ::close(ends[0]);
      auto w = opened(folder);
      for (const std::int64_t r : reported) {
        const auto c = w->candidate(r);
        QVERIFY2(c, c ? "" : c.error().text().c_str());
        QVERIFY(c->verdict && c->verdict->accepted);
        QCOMPARE("text " + c->verdict->ptx.substr(4), c->text);
      }
      reported_in_all += reported.size();
      QCOMPARE(w->runs()->size(), std::size_t{1});
    }
    QVERIFY(reported_in_all >= 6 * 2);
  }

  void twoProgramsAtOnce() {
    const fs::path folder = fresh();
    constexpr int each = 25;
    int ends[2][2];
    pid_t children[2];
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
    }
    for (int p = 0; p < 2; ++p) {
      QVERIFY(::pipe(ends[p]) == 0);
      children[p] = ::fork();
      if (children[p] == 0) write_forever(folder, run, ends[p][1], p * 1000, each);
      ::close(ends[p][1]);
    }
    auto w = opened(folder);  // and a third that reads
    while (w->candidates(run)->size() < 10) {}
    for (int p = 0; p < 2; ++p) {
      QCOMPARE(read_ids(ends[p][0]).size(), std::size_t{each});
      ::close(ends[p][0]);
      int status = -1;
      ::waitpid(children[p], &status, 0);
      QCOMPARE(status, 0);
    }
    QCOMPARE(w->run(run)->accepted, 2 * each);
  }

  void createdByTwoProgramsAtOnce() {
    const fs::path folder = fresh();
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
      const pid_t child = ::fork();
      if (child == 0) {
        auto w = Workspace::open(folder);
        if (!w) std::fprintf(stderr, "%s\n", w.error().text().c_str());
        _exit(w && (*w)->add_op("o" + std::to_string(p), "t", "s") ? 0 : 1);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = -1;
      ::waitpid(child, &status, 0);
      QCOMPARE(status, 0);
    }
  }

  void manyThreads() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    std::vector<std::thread> threads;
    std::atomic<int> failures{0};
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 6; ++i) {
          const auto id = w->add_candidate(candidate_of(run, std::to_string(t) + "/" + std::to_string(i)));
          if (!id || !w->set_verdict(*id, verdict_of(true, "the same PTX"), 1.0, "simulated", "slots") ||
              !w->candidate(*id))
            ++failures;
        }
      });
    for (std::thread& t : threads) t.join();
    QCOMPARE(failures.load(), 0);
    QCOMPARE(w->run(run)->accepted, 24);
  }

  void migrationsStepByStep() {
    const fs::path file = fresh();
    const std::vector<std::string_view> one = {"CREATE TABLE a(x); INSERT INTO a VALUES(1);"};
    const std::vector<std::string_view> two = {one[0], "ALTER TABLE a ADD COLUMN y DEFAULT 5;"};
    {
      auto db = Database::open(file, true).value();
      QVERIFY(check_ours(*db, one, file) && migrate(*db, one, file));
      QCOMPARE(db->integer("PRAGMA user_version").value(), std::int64_t{1});
    }
    {
      auto db = Database::open(file, false).value();
      QVERIFY(check_ours(*db, two, file) && migrate(*db, two, file));
      QVERIFY(migrate(*db, two, file));  // nothing more to do
      QCOMPARE(db->integer("SELECT x + y FROM a").value(), std::int64_t{6});
    }
    auto db = Database::open(file, false).value();
    const Status newer = check_ours(*db, one, file);
    QVERIFY(!newer);
    QCOMPARE(newer.error().code, Code::unsupported);
    QVERIFY(newer.error().message.find("newer") != std::string::npos);
    const std::vector<std::string_view> broken = {one[0], two[1], "CREATE TABLE b(x); CREATE TABLE a(x);"};
    QVERIFY(!migrate(*db, broken, file));  // a step that fails leaves nothing behind
    QCOMPARE(db->integer("PRAGMA user_version").value(), std::int64_t{2});
    QCOMPARE(db->integer("SELECT count(*) FROM sqlite_master WHERE name = 'b'").value(), std::int64_t{0});
  }

  void whatIsNotAWorkspace() {
    const auto error_of = [](const fs::path& folder, bool create = true) {
      auto w = Workspace::open(folder, create);
      return w ? Error{} : w.error();
    };
    const fs::path missing = fresh();
    QCOMPARE(error_of(missing, false).code, Code::not_found);
    QVERIFY(!fs::exists(missing));

    const fs::path garbage = fresh();
    QVERIFY(write_file_atomic(garbage / "workspace.sqlite", std::string(5000, 'x')));
    QCOMPARE(error_of(garbage).code, Code::corrupt);

    const fs::path foreign = fresh();
    fs::create_directories(foreign);
    {
      auto db = Database::open(foreign / "workspace.sqlite", true).value();
      QVERIFY(db->exec("CREATE TABLE theirs(x)"));
    }
    const std::string before = read_file(foreign / "workspace.sqlite").value();
    QCOMPARE(error_of(foreign).code, Code::invalid_argument);
    QCOMPARE(read_file(foreign / "workspace.sqlite").value(), before);  // left as it was

    const fs::path newer = fresh();
    { auto w = opened(newer); }
    {
      auto db = Database::open(newer / "workspace.sqlite", false).value();
      QVERIFY(db->exec("PRAGMA user_version = 999"));
    }
    QCOMPARE(error_of(newer).code, Code::unsupported);

    const fs::path file = fresh();
    QVERIFY(write_file_atomic(file, "a file"));
    QCOMPARE(error_of(file).code, Code::io);
    QCOMPARE(error_of(file / "below").code, Code::io);
    QCOMPARE(error_of("/proc/nowhere").code, Code::io);
  }

  void aDamagedDatabaseIsNamed() {
    const fs::path folder = fresh();
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
      for (int i = 0; i < 50; ++i)
        w->add_candidate(candidate_of(run, "text " + std::to_string(i) + std::string(500, 'x'))).value();
    }
    std::string bytes = read_file(folder / "workspace.sqlite").value();
    for (std::size_t page = 1; page * 4096 + 200 < bytes.size(); ++page)
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(page * 4096), 200, '\xFF');
    QVERIFY(write_file_atomic(folder / "workspace.sqlite", bytes));
    auto w = Workspace::open(folder);
    Error error;
    if (!w) {
      error = w.error();
    } else {
      const auto list = (*w)->candidates(run);
      QVERIFY(!list);
      error = list.error();
    }
    QCOMPARE(error.code, Code::corrupt);
    QVERIFY(error.message.find(folder.string()) != std::string::npos);
  }

  void aReadOnlyDatabaseIsNamed() {
    const fs::path folder = fresh();
    opened(folder).reset();
    fs::permissions(dir_.path().toStdString(), fs::perms(0755));
    fs::permissions(folder / "workspace.sqlite", fs::perms(0444));
    const pid_t child = ::fork();  // as somebody else where this is the superuser, who may write everything
    if (child == 0) {
      if (::geteuid() == 0 && ::seteuid(65534) != 0) _exit(2);
      auto w = Workspace::open(folder);
      _exit(!w && w.error().code == Code::io && w.error().message.find("may not be written") != std::string::npos ? 0
                                                                                                                  : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    QCOMPARE(status, 0);
  }
};

QTEST_GUILESS_MAIN(StoreTest)
#include "store_test.moc"
