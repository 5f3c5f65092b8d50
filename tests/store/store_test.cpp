// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include <cstdio>
#include <fstream>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/files.h"
#include "base/hash.h"
#include "evidence/verdict_json.h"
#include "store/bundle.h"
#include "store/paste.h"
#include "store/schema.h"
#include "store/sqlite.h"
#include "store/scores.h"
#include "store/records.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::new_run;
using ww::support::opened;
namespace fs = std::filesystem;

class StoreTest : public QObject, support::Folders {
  Q_OBJECT

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
      QCOMPARE(w->candidate(id)->state, store::CandidateState::queued);
      QVERIFY(!w->candidate(id)->verdict);
      QVERIFY(w->set_verdict(id, verdict_of(false), std::nullopt, Provenance::unknown, ""));
      QVERIFY(w->add_message(run, store::MessageLevel::info, "hello"));
      QCOMPARE(w->latest_worker(run).value(), std::string());
      for (const char* worker : {"{\"version\": 1}", "{\"version\": 2}"})
        QVERIFY(w->add_message(run, store::MessageLevel::environment, worker));
    }
    auto w = opened(folder);
    const CandidateRecord c = w->candidate(id).value();
    QCOMPARE(c.text, std::string("//@ candidate softmax\n\"quotes\" and \xC3\xA9"));
    QCOMPARE(c.parent, std::string(64, 'a'));
    QCOMPARE(c.note, std::string("why"));
    QCOMPARE(c.state, store::CandidateState::rejected);
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
    QCOMPARE(w->latest_worker(run).value(), std::string("{\"version\": 2}"));
  }

  // Whoever made a workspace, opened with another person's key all that it holds counts as imported; what is judged
  // there later does not.
  void aWorkspaceOfSomebodyElseCountsAsImported() {
    const auto as = [&](const char* who) {
      qputenv("WARPWRIGHT_CONFIG", path(std::string("config of ") + who).c_str());
    };
    const QByteArray before = qgetenv("WARPWRIGHT_CONFIG");
    const fs::path folder = fresh();
    as("Ada");
    std::int64_t run = 0, id = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
      id = w->add_candidate(candidate_of(run, "a")).value();
      QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots"));
      QVERIFY(w->add_measurement(
          {0, w->run(run)->op, id, profile::MeasurementKind::time, "cuda:0", "G", "1", "{}", "", false}));
      ReviewRecord review;
      review.candidate = id;
      review.kind = ReviewKind::note;
      review.reviewer = "Ada";
      review.text = "fine";
      QVERIFY(w->add_review(review));
    }
    const auto imported = [&](Workspace& w) {
      const bool first = w.run(run)->imported;
      const bool same = w.candidate(id)->imported == first && w.candidates(run)->at(0).imported == first &&
                        w.measurements(0)->at(0).imported == first && w.reviews(0)->at(0).imported == first &&
                        w.runs()->back().imported == first;
      return same ? QVariant(first) : QVariant();
    };
    QCOMPARE(imported(*opened(folder)), QVariant(false));
    as("Bob");
    {
      auto w = opened(folder);
      QCOMPARE(imported(*w), QVariant(true));
      const std::int64_t own = w->add_candidate(candidate_of(new_run(*w), "b")).value();
      QVERIFY(w->set_verdict(own, verdict_of(true), 1.0, Provenance::simulated, "slots"));
      QVERIFY(!w->candidate(own)->imported);
    }
    {
      auto w = opened(folder);
      QCOMPARE(imported(*w), QVariant(true));
      QCOMPARE(w->candidates(run + 1)->at(0).imported, false);
      QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots"));  // judged here now
      QVERIFY(!w->candidate(id)->imported);
    }
    // A copy, too: another's database could have the seal of one of Bob's.
    const fs::path copy = fresh();
    fs::copy(folder, copy, fs::copy_options::recursive);
    QCOMPARE(opened(copy)->candidates(run + 1)->at(0).imported, true);
    QCOMPARE(opened(folder)->candidates(run + 1)->at(0).imported, false);
    as("Ada");
    QCOMPARE(opened(folder)->candidates(run + 1)->at(0).imported, true);
    QCOMPARE(opened(folder)->candidate(id)->imported, true);
    // A key that others may read is none: what is sealed with it counts as nobody's.
    fs::permissions(path("config of Ada/workspace.key"), fs::perms(0644));
    const fs::path other = fresh();
    for (const bool again : {false, true}) {
      auto w = opened(other);
      if (!again)
        QVERIFY(w->set_verdict(w->add_candidate(candidate_of(new_run(*w), "c")).value(), verdict_of(true), 1.0,
                               Provenance::simulated, "slots"));
      QCOMPARE(w->candidates(1)->at(0).imported, again);
    }
    qputenv("WARPWRIGHT_CONFIG", before);
  }

  // Another person, or the same one under another home folder, wrote into it: what was one's own stays so.
  void whatWasOnesOwnIsSoAgain() {
    const auto as = [&](const char* who) {
      qputenv("WARPWRIGHT_CONFIG", path(std::string("config of ") + who).c_str());
    };
    const QByteArray before = qgetenv("WARPWRIGHT_CONFIG");
    const fs::path folder = fresh();
    const auto judged = [&](Workspace& w, const char* text) {
      const std::int64_t id = w.add_candidate(candidate_of(new_run(w), text)).value();
      QTest::qVerify(w.set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots").has_value(), "set", "",
                     __FILE__, __LINE__);
      return id;
    };
    const auto imported = [&](Workspace::Access access) {
      const auto w = Workspace::open(folder, access).value();
      QList<bool> list;
      for (std::int64_t id = 1; id <= 4; ++id) list << w->candidate(id)->imported;
      for (const RunRecord& r : w->runs().value()) list << r.imported;
      return list;
    };
    as("Eve");
    {
      auto w = opened(folder);
      judged(*w, "a");
      judged(*w, "b");
      QVERIFY(w->add_review({0, 1, ReviewKind::note, "Eve", 0, "mine", "", "", ""}));
    }
    as("Finn");
    {
      auto w = opened(folder);
      judged(*w, "c");
      QVERIFY(w->set_verdict(2, verdict_of(true), 1.0, Provenance::simulated, "slots"));  // Finn's word now
    }
    as("Eve");
    judged(*opened(folder), "d");
    const QList<bool> eves = {false, true, true, false, false, true, false, false};  // runs from the newest on
    for (const auto access : {Workspace::Access::read, Workspace::Access::write}) QCOMPARE(imported(access), eves);
    QVERIFY(!opened(folder)->reviews(1)->at(0).imported);
    as("Finn");
    const QList<bool> finns = {true, false, false, true, true, false, true, true};
    for (const auto access : {Workspace::Access::read, Workspace::Access::write}) QCOMPARE(imported(access), finns);
    as("Eve");
    for (const auto access : {Workspace::Access::read, Workspace::Access::write}) QCOMPARE(imported(access), eves);
    as("Gus");
    QVERIFY(!imported(Workspace::Access::read).contains(false));
    qputenv("WARPWRIGHT_CONFIG", before);
  }

  // Somebody who only looks into a workspace leaves it as its owner's.
  void whoReadsAWorkspaceDoesNotTakeItOver() {
    const auto as = [&](const char* who) {
      qputenv("WARPWRIGHT_CONFIG", path(std::string("config of ") + who).c_str());
    };
    const QByteArray before = qgetenv("WARPWRIGHT_CONFIG");
    const fs::path folder = fresh();
    as("Cleo");
    {
      auto w = opened(folder);
      RunRecord run;
      run.op = w->add_op("softmax", "op other(x: f32[N]) -> y: f32[N]\n{ y[i] = x[i] }\n", "").value();
      const std::int64_t id = w->add_candidate(candidate_of(w->add_run(run).value(), "a")).value();
      QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots"));
    }
    as("Dan");
    {
      auto w = Workspace::open(folder, Workspace::Access::read).value();
      QVERIFY(w->run(1)->imported && w->runs()->at(0).imported && w->candidate(1)->imported);
      QCOMPARE(w->run(1)->op_name, std::string("other"));  // what its spec says
      QCOMPARE(w->op(1)->name, std::string("other"));
      QCOMPARE(w->add_message(1, MessageLevel::info, "text").error().code, Code::io);
    }
    as("Cleo");
    QVERIFY(!Workspace::open(folder, Workspace::Access::read).value()->candidate(1)->imported);
    QVERIFY(!opened(folder)->candidate(1)->imported);
    QCOMPARE(opened(folder)->run(1)->op_name, std::string("softmax"));
    qputenv("WARPWRIGHT_CONFIG", before);
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
    QCOMPARE(w->run(run)->state, store::RunState::running);
    QVERIFY(w->run(run)->ended.empty());
    const std::int64_t a = w->add_candidate(candidate_of(run, "a")).value();
    const std::int64_t b = w->add_candidate(candidate_of(run, "b")).value();
    const std::int64_t c = w->add_candidate(candidate_of(run, "c")).value();
    w->add_candidate(candidate_of(run, "d")).value();
    QVERIFY(w->set_verdict(b, verdict_of(true), 7.5, Provenance::simulated, "slots"));
    QVERIFY(w->set_verdict(a, verdict_of(false), std::nullopt, Provenance::simulated, "slots"));
    QVERIFY(w->set_not_judged(c, "the worker's reply was corrupt"));
    const RunRecord r = w->run(run).value();
    QCOMPARE(r.proposed, 4);
    QCOMPARE(r.judged, 3);
    QCOMPARE(r.accepted, 1);
    QVERIFY(w->candidate(a)->order > w->candidate(b)->order);  // order of judgement, not of proposal
    QCOMPARE(w->candidate(b)->score.value(), 7.5);
    QVERIFY(w->candidate(a)->score_unit.empty());  // no unit without a score
    QCOMPARE(w->candidate(c)->state, store::CandidateState::not_judged);
    QVERIFY(w->set_run_state(run, store::RunState::done, "the budget is used up"));
    QVERIFY(!w->run(run)->ended.empty());
    QVERIFY(w->set_run_state(run, store::RunState::running));
    QVERIFY(w->run(run)->ended.empty());
    QCOMPARE(w->runs()->front().id, run);
  }

  void badReferencesAreRefused() {
    auto w = opened(fresh());
    QCOMPARE(w->run(77).error().code, Code::not_found);
    QCOMPARE(w->candidate(77).error().code, Code::not_found);
    QCOMPARE(w->set_verdict(77, verdict_of(true), {}, Provenance::unknown, "").error().code, Code::not_found);
    QCOMPARE(w->set_run_state(77, store::RunState::done).error().code, Code::not_found);
    QCOMPARE(w->add_message(77, store::MessageLevel::info, "x").error().code, Code::not_found);
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
    QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots"));
    fs::remove_all(folder / "blobs");
    QVERIFY(w->candidate(id)->verdict->accepted);
    QVERIFY(w->candidate(id)->verdict->ptx.empty());
  }

  void whatIsNotAWorkspace() {
    const auto error_of = [](const fs::path& folder, Workspace::Access access = Workspace::Access::create) {
      auto w = Workspace::open(folder, access);
      return w ? Error{} : w.error();
    };
    const fs::path missing = fresh();
    QCOMPARE(error_of(missing, Workspace::Access::write).code, Code::not_found);
    QVERIFY(!fs::exists(missing));

    const fs::path garbage = fresh();
    fs::create_directories(garbage);
    QVERIFY(std::ofstream(garbage / "workspace.sqlite") << std::string(5000, 'x'));
    QCOMPARE(error_of(garbage).code, Code::corrupt);

    const fs::path emptied = fresh();
    { auto w = opened(emptied); }
    fs::resize_file(emptied / "workspace.sqlite", 0);
    QCOMPARE(error_of(emptied, Workspace::Access::read).code, Code::corrupt);
    QCOMPARE(error_of(emptied, Workspace::Access::write).code, Code::corrupt);
    QVERIFY(opened(emptied));  // one that ended while it was being made
    fs::resize_file(emptied / "workspace.sqlite", 0);
    fs::create_directories(emptied / "blobs");
    QVERIFY(std::ofstream(emptied / "blobs" / "kept") << "kernel");
    QCOMPARE(error_of(emptied).code, Code::corrupt);
    QCOMPARE(fs::file_size(emptied / "workspace.sqlite"), std::uintmax_t{0});  // left as it was

    const fs::path foreign = fresh();
    fs::create_directories(foreign);
    {
      auto db = Database::open(foreign / "workspace.sqlite", Database::Access::create).value();
      QVERIFY(db->exec("CREATE TABLE theirs(x)"));
    }
    const std::string before = read_file(foreign / "workspace.sqlite").value();
    QCOMPARE(error_of(foreign).code, Code::invalid_argument);
    QCOMPARE(read_file(foreign / "workspace.sqlite").value(), before);  // left as it was

    const fs::path newer = fresh();
    { auto w = opened(newer); }
    {
      auto db = Database::open(newer / "workspace.sqlite", Database::Access::write).value();
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
    QVERIFY(std::ofstream(folder / "workspace.sqlite", std::ios::binary) << bytes);
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

  void whatChangedSince() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w);
    const auto changed = [&](std::int64_t since) {
      std::vector<std::int64_t> ids;
      std::int64_t newest = since;
      (void)w->each_candidate(
          run,
          [&](const CandidateRecord& c) {
            ids.push_back(c.id);
            newest = std::max(newest, c.changed);
            return Status();
          },
          since);
      return std::pair(ids, newest);
    };
    const std::int64_t a = w->add_candidate(candidate_of(run, "a")).value(),
                       b = w->add_candidate(candidate_of(run, "b")).value();
    auto [ids, at] = changed(0);
    QCOMPARE(ids, (std::vector<std::int64_t>{a, b}));
    QVERIFY(changed(at).first.empty());
    QVERIFY(w->set_verdict(a, verdict_of(true), 3.0, Provenance::simulated, "slots", "program"));
    std::tie(ids, at) = changed(at);
    QCOMPARE(ids, (std::vector<std::int64_t>{a}));
    QCOMPARE(w->find_identity(run, "program").value(), hash_hex("a"));
    QVERIFY(w->find_identity(run, "another")->empty());
    QVERIFY(w->set_duplicate(b, hash_hex("a")));
    std::tie(ids, at) = changed(at);
    QCOMPARE(ids, (std::vector<std::int64_t>{b}));
  }

  void scoresAndWhatHasNoIdentity() {
    auto w = opened(fresh());
    const std::int64_t run = new_run(*w), other = new_run(*w);
    std::vector<std::int64_t> ids;
    for (const char* text : {"a", "b", "c", "d"}) ids.push_back(w->add_candidate(candidate_of(run, text)).value());
    const std::int64_t elsewhere = w->add_candidate(candidate_of(other, "a")).value();
    QVERIFY(scores_of(w->folder(), run)->scores.empty());  // none is judged
    const auto judge = [&](std::int64_t id, std::optional<double> score, const std::optional<std::string>& identity) {
      return w->set_verdict(id, verdict_of(score.has_value()), score, Provenance::simulated, "slots", identity);
    };
    QVERIFY(judge(ids[2], 3.0, "c") && judge(ids[0], 5.0, std::nullopt) && judge(ids[1], std::nullopt, "") &&
            judge(elsewhere, 1.0, "a"));
    const auto [scores, without_identity] = scores_of(w->folder(), run).value();  // in the order of verdicts
    QCOMPARE(scores.size(), std::size_t{2});
    QVERIFY(scores[0].candidate == ids[2] && scores[0].value == 3 && scores[0].provenance == Provenance::simulated);
    QVERIFY(scores[1].candidate == ids[0] && scores[1].value == 5);
    QCOMPARE(without_identity, (std::vector<std::int64_t>{ids[0]}));
  }

  void unknownWordsAreNeverFavourable() {
    const fs::path folder = fresh();
    std::int64_t run = 0, id = 0;
    {
      auto w = opened(folder);
      run = new_run(*w);
      id = w->add_candidate(candidate_of(run, "a")).value();
    }
    const auto put = [&](const std::string& sql) {
      QVERIFY(Database::open(folder / "workspace.sqlite", Database::Access::write).value()->exec(sql));
    };
    put("UPDATE run SET state = 'splendid'; UPDATE candidate SET state = 'perfect', score = 1, score_provenance = "
        "'felt'");
    {
      auto w = opened(folder);
      QCOMPARE(w->run(run)->state, RunState::unknown);
      QCOMPARE(w->candidate(id)->state, CandidateState::unknown);
      QCOMPARE(w->candidate(id)->score_provenance, Provenance::unknown);
    }
    put("UPDATE source SET language = 'fortran'");
    QCOMPARE(opened(folder)->candidate(id).error().code, Code::corrupt);
  }

  void aReadOnlyDatabaseIsReadAndNamed() {
    const fs::path folder = fresh();
    {
      auto w = opened(folder);
      const std::int64_t id = w->add_candidate(candidate_of(new_run(*w), "a")).value();
      QVERIFY(w->set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots"));
    }
    fs::permissions(path("."), fs::perms(0755));
    fs::permissions(folder, fs::perms(0555));
    fs::permissions(folder / "workspace.sqlite", fs::perms(0444));
    const pid_t child = ::fork();  // as somebody else where this is the superuser, who may write everything
    if (child == 0) {
      if (::geteuid() == 0 && ::seteuid(65534) != 0) _exit(2);
      const auto refused = [](const auto& result) {
        return !result && result.error().code == Code::io &&
               result.error().message.find("may not be written") != std::string::npos;
      };
      qputenv("WARPWRIGHT_CONFIG", "/nonexistent");
      if (!refused(Workspace::open(folder))) _exit(3);
      auto w = Workspace::open(folder, Workspace::Access::write);
      if (!w || !(*w)->runs() || (*w)->runs()->size() != 1) _exit(4);
      if (!refused((*w)->add_message(1, MessageLevel::info, "text"))) _exit(5);
      auto read = Workspace::open(folder, Workspace::Access::read);
      if (!read || !(*read)->candidate(1)) _exit(8);
      if (const auto bundle = fs::temp_directory_path() / ("ww-" + std::to_string(::getpid()) + ".wwb");
          !export_bundle(folder, bundle, 0, "test") || !fs::remove(bundle))
        _exit(9);
      if (!(*w)->run(1)->imported || !(*w)->candidate(1)->imported) _exit(7);  // it cannot read the maker's key
      _exit((*w)->run(1)->op_name.empty() ? 6 : 0);
    }
    int status = -1;
    ::waitpid(child, &status, 0);
    fs::permissions(folder, fs::perms(0755));
    QCOMPARE(WEXITSTATUS(status), 0);
  }

  void whatIsToBePastedNamesItsWorkspace() {
    qputenv("WARPWRIGHT_WORKSPACE", "/usual");
    QCOMPARE(pasted("/usual", "list"), std::string("warpwright-cli list"));
    QCOMPARE(pasted("ws2", "explore --resume 1"), std::string("warpwright-cli explore --resume 1 --workspace ws2"));
    qunsetenv("WARPWRIGHT_WORKSPACE");
    QCOMPARE(pasted("", "list"), std::string("warpwright-cli list"));
    QCOMPARE(shell_word("/a b/$(x);'y'\n"), std::string("/a\\ b/\\$\\(x\\)\\;\\'y\\'\\\n"));
    QCOMPARE(shell_word("Grüße/1.2_3-4"), std::string("Grüße/1.2_3-4"));
    QCOMPARE(shell_word(""), std::string("''"));
  }
};

QTEST_GUILESS_MAIN(StoreTest)
#include "store_test.moc"
