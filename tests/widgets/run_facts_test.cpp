// SPDX-License-Identifier: GPL-3.0-or-later
// What the window knows of a run beyond its rows: read from a real workspace, and what is new after changes.
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>
#include "base/hash.h"
#include "session/models/candidate_model.h"
#include "session/run_facts.h"

using namespace ww;
using namespace ww::widgets;

namespace {

store::CandidateRecord candidate_of(std::int64_t run, const std::string& text) {
  store::CandidateRecord c;
  c.run = run;
  c.text = text;
  c.hash = hash_hex(text);
  c.note = "note of " + text;
  return c;
}

store::MoveRecord move_of(std::int64_t run, const std::string& to) {
  store::MoveRecord m;
  m.run = run;
  m.to = hash_hex(to);
  m.move = "move to " + to;
  m.effect = m.low = m.high = 1;
  return m;
}

}  // namespace

class RunFactsTest : public QObject {
  Q_OBJECT
 private slots:
  void whatIsNewIsAddedToWhatIsKnown() {
    QTemporaryDir folder;
    Session session{Services()};
    CandidateModel model;
    Context context{{}, &session, nullptr, &model, nullptr, nullptr};
    QSignalSpy opened(&session, &Session::workspace_opened), shown(&session, &Session::run_shown);
    session.open_workspace(folder.filePath("workspace"));
    QVERIFY(opened.wait(20000));
    store::Workspace& w = *session.workspace();
    store::RunRecord record;
    record.op = w.add_op("scale", "op", "").value();
    record.options = "{}";
    const std::int64_t run = w.add_run(record).value(), other = w.add_run(record).value();
    const std::int64_t a = w.add_candidate(candidate_of(run, "a")).value();
    w.add_candidate(candidate_of(other, "elsewhere")).value();
    QVERIFY(w.add_move(move_of(run, "a")) && w.add_move(move_of(other, "elsewhere")));
    shown.clear();
    session.show_run(run);
    QVERIFY(shown.wait(20000));

    RunFactsLoader* loader = RunFactsLoader::of(context);
    loader->want();
    QTRY_VERIFY(loader->facts() != nullptr);
    const std::shared_ptr<const RunFacts> before = loader->facts();
    QCOMPARE(before->candidates.size(), std::size_t{1});
    QCOMPARE(before->candidates.at(a).note, std::string("note of a"));
    QVERIFY(before->candidates.at(a).judged.empty());
    QCOMPARE(before->moves.size(), std::size_t{1});

    const std::int64_t b = w.add_candidate(candidate_of(run, "b")).value();
    QVERIFY(w.set_not_judged(a, "it failed") && w.set_duplicate(b, hash_hex("a")));
    for (int i = 0; i < 70; ++i) QVERIFY(w.add_move(move_of(other, "elsewhere")));  // more than are asked for at first
    QVERIFY(w.add_move(move_of(run, "b")));
    session.set_judging(false);  // something has changed
    loader->want();
    QTRY_VERIFY(loader->facts() != before);
    const std::shared_ptr<const RunFacts> after = loader->facts();
    QCOMPARE(after->candidates.size(), std::size_t{2});
    QCOMPARE(after->candidates.at(a).note, std::string("note of a"));
    QCOMPARE(after->candidates.at(b).duplicate_of, hash_hex("a"));
    QCOMPARE(after->moves.size(), std::size_t{2});
    QVERIFY(after->changed > before->changed && after->newest_move > before->newest_move);
    QCOMPARE(before->candidates.size(), std::size_t{1});  // what panels hold does not change

    shown.clear();
    session.show_run(other);
    QVERIFY(shown.wait(20000));
    loader->want();
    QTRY_VERIFY(loader->facts() != nullptr);
    QCOMPARE(loader->facts()->record.id, other);
    QCOMPARE(loader->facts()->candidates.size(), std::size_t{1});
    QVERIFY(!loader->facts()->candidates.contains(a));
  }
};

QTEST_MAIN(RunFactsTest)
#include "run_facts_test.moc"
