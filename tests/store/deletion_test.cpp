// SPDX-License-Identifier: Apache-2.0
#include <QtTest>
#include "explore/delete_run.h"
#include "explore/run_lock.h"
#include "store/bundle.h"
#include "store/records.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::store;
using ww::support::new_run;
using ww::support::opened;
namespace fs = std::filesystem;

class DeletionTest : public QObject, support::Folders {
  Q_OBJECT

  // A run with two judged candidates and everything else that a run can have.
  static std::int64_t full_run(Workspace& w, const std::string& text) {
    const std::int64_t run = new_run(w);
    ExchangeRecord e;
    e.run = run;
    e.role = store::AgentRole::writer;
    e.request = "{\"prompt\": \"a long prompt of run " + std::to_string(run) + std::string(4000, 'x') + "\"}";
    const std::int64_t exchange = w.add_exchange(e).value();
    for (const char* more : {"", " again"}) {
      CandidateRecord c = candidate_of(run, text + more);
      c.exchange = exchange;
      c.hash = Hasher().field("cuda").field(c.text).hex();
      const std::int64_t id = w.add_candidate(c).value();
      if (!w.set_verdict(id, verdict_of(true), 1.0, Provenance::simulated, "slots")) qFatal("no verdict");
      if (!w.set_mark(id, MarkKind::tag, "good", true)) qFatal("no mark");
      if (!w.add_measurement(
              {0, w.run(run)->op, id, profile::MeasurementKind::time, "cuda:0", "G", "1", "{}", "", false}))
        qFatal("no measurement");
    }
    if (!w.add_message(run, MessageLevel::info, "hello")) qFatal("no message");
    if (!w.add_move({0, run, "a", "b", "move", "f", "simt", Provenance::simulated, 2, 2, 2, ""})) qFatal("no move");
    return run;
  }

 private slots:
  void allOfARunGoes() {
    const fs::path folder = fresh();
    auto w = opened(folder);
    const std::int64_t kept = full_run(*w, "shared"), gone = full_run(*w, "shared");  // the same texts in both
    const std::int64_t lone = w->add_candidate(candidate_of(gone, "only here")).value();
    const DeletedRun asked = w->deletion_preview(gone).value();
    QCOMPARE(asked.candidates, 3);
    QCOMPARE(w->candidates(gone)->size(), std::size_t{3});  // asking deletes nothing
    const DeletedRun deleted = w->delete_run(gone).value();
    QCOMPARE(deleted.run, gone);
    QCOMPARE(deleted.op, std::string("softmax"));
    QCOMPARE(deleted.exchanges, 1);
    QCOMPARE(deleted.measurements, 2);
    QCOMPARE(w->run(gone).error().code, Code::not_found);
    QCOMPARE(w->runs()->size(), std::size_t{1});
    QCOMPARE(w->candidate(lone).error().code, Code::not_found);
    QVERIFY(w->candidates(gone)->empty() && w->messages(gone)->empty() && w->exchanges(gone)->empty());
    QVERIFY(w->marks(gone)->empty());
    // The other run has all that it had, its texts included.
    QCOMPARE(w->candidates(kept)->size(), std::size_t{2});
    const std::int64_t first = w->candidates(kept)->front().id;
    QCOMPARE(w->candidate(first)->text, std::string("shared"));
    QVERIFY(w->candidate(first)->verdict.has_value());
    QCOMPARE(w->measurements(0)->size(), std::size_t{2});
    QCOMPARE(w->marks(kept)->size(), std::size_t{2});
    QCOMPARE(w->moves("", "", 9)->size(), std::size_t{1});
    QVERIFY(w->exchange(w->exchanges(kept)->front().id)->request.find("a long prompt of run 1") != std::string::npos);
    QCOMPARE(w->delete_run(gone).error().code, Code::not_found);
    w.reset();
    QVERIFY(Workspace::open(folder).has_value());  // still a sound workspace
  }

  void numbersAreNotGivenAgain() {
    const fs::path folder = fresh();
    std::int64_t run = 0, candidate = 0, exchange = 0;
    {
      auto w = opened(folder);
      full_run(*w, "a");
      run = full_run(*w, "b");
      candidate = w->candidates(run)->back().id;
      exchange = w->exchanges(run)->back().id;
      QVERIFY(w->delete_run(run));
    }
    auto w = opened(folder);
    const std::int64_t next = full_run(*w, "c");
    QVERIFY(next > run);
    QVERIFY(w->candidates(next)->front().id > candidate);
    QVERIFY(w->exchanges(next)->front().id > exchange);
    QCOMPARE(w->candidates(next)->back().id, w->candidates(next)->front().id + 1);
  }

  void whatAReviewerWroteStays() {
    auto w = opened(fresh());
    const std::int64_t noted = full_run(*w, "a"), signed_run = full_run(*w, "b");
    ReviewRecord note;
    note.candidate = w->candidates(noted)->front().id;
    note.text = "why this order?";
    QVERIFY(w->add_review(note));
    ReviewRecord accepted;
    accepted.candidate = w->candidates(signed_run)->back().id;
    accepted.kind = ReviewKind::accepted;
    accepted.receipt = "{}";
    note.candidate = w->candidates(signed_run)->front().id;
    QVERIFY(w->add_review(note) && w->add_review(accepted));
    for (const auto& [run, words] : {std::pair{noted, "reviewer's notes"}, {signed_run, "signed receipt"}}) {
      const auto asked = w->deletion_preview(run), done = w->delete_run(run);
      QVERIFY(!asked && !done);
      QCOMPARE(done.error().code, Code::invalid_argument);
      QCOMPARE(done.error().message, asked.error().message);
      QVERIFY2(done.error().message.find(words) != std::string::npos, done.error().message.c_str());
      QCOMPARE(w->candidates(run)->size(), std::size_t{2});
    }
    QVERIFY(w->delete_run(signed_run).error().message.find(std::to_string(accepted.candidate)) != std::string::npos);
  }

  void aLiveRunIsRefused() {
    auto w = opened(fresh());
    const std::int64_t run = full_run(*w, "a");
    {
      const auto lock = explore::RunLock::take(w->folder(), run);
      QVERIFY(lock.has_value());
      QCOMPARE(explore::deletion_preview(*w, run).error().code, Code::unavailable);
      QCOMPARE(explore::delete_run(*w, run).error().code, Code::unavailable);
      QCOMPARE(w->candidates(run)->size(), std::size_t{2});
    }
    QVERIFY(explore::delete_run(*w, run));  // its state says running, but nobody works on it
    QVERIFY(!explore::delete_run(*w, run));
    QVERIFY(!explore::delete_run(*w, -1));
  }

  void aBundleCanComeAgain() {
    const fs::path from = fresh(), into = fresh(), bundle = path("one.wwb");
    {
      auto w = opened(from);
      QVERIFY(w->delete_run(full_run(*w, "gone")));
      full_run(*w, "a");
    }
    QVERIFY(export_bundle(from, bundle, 0, "test"));
    const auto first = import_bundle(bundle, into);
    QVERIFY2(first.has_value(), first ? "" : first.error().text().c_str());
    QVERIFY(!import_bundle(bundle, into));
    const std::int64_t run = first->runs.front().second;
    {
      auto w = opened(into);
      QVERIFY(w->run(run)->imported);
      QVERIFY(w->delete_run(run));
    }
    const auto again = import_bundle(bundle, into);
    QVERIFY2(again.has_value(), again ? "" : again.error().text().c_str());
    QVERIFY(again->runs.front().second > run);
    auto w = opened(into);
    QVERIFY(!w->run(new_run(*w))->imported);
  }

  void readersCannotDelete() {
    const fs::path folder = fresh();
    std::int64_t run = 0;
    {
      auto w = opened(folder);
      run = full_run(*w, "a");
    }
    auto reader = Workspace::open(folder, Workspace::Access::read);
    QVERIFY(reader.has_value());
    QCOMPARE((*reader)->delete_run(run).error().code, Code::io);
    QCOMPARE((*reader)->candidates(run)->size(), std::size_t{2});
  }
};

QTEST_MAIN(DeletionTest)
#include "deletion_test.moc"
