// SPDX-License-Identifier: Apache-2.0
// A person's edits, judged in runs that have ended.
#include <QtTest>
#include <thread>
#include "explore/edit.h"
#include "explore/generators.h"
#include "explore/run_lock.h"
#include "scripted_options.h"
#include "store/workspace.h"
#include "support/workspaces.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;

namespace {

int asked = 0;

class Two final : public Generator {  // an accepted one and one that hangs until it is cancelled
 public:
  std::string name() const override { return "two"; }
  Result<std::vector<Proposal>> propose(const GeneratorRequest& request, std::stop_token) override {
    if (++asked > 1 || !request.history.empty()) return std::vector<Proposal>();
    return std::vector<Proposal>{
        {script::candidate("first", "accepted 50"), candidate::Language::cuda, "", "plain", ""},
        {script::candidate("stuck", "hang"), candidate::Language::cuda, "", "plain", ""}};
  }
};

Proposal edit(const std::string& name, const std::string& becomes, const std::string& parent = {}) {
  return {script::candidate(name, becomes), candidate::Language::cuda, parent, "", "edited by hand"};
}

}  // namespace

class EditTest : public QObject, ww::support::WithWorkspace {
  Q_OBJECT
  std::string parent_;

 private slots:
  void init() {
    asked = 0;
    renew();
    add_generator("two", [] { return std::make_unique<Two>(); });
    std::stop_source stop;
    const auto ended = explore::run(
        *workspace_, script::options("two", 2),
        [&](const Event& e) {
          if (const auto* s = std::get_if<RunStarted>(&e)) run_ = s->run;
          if (const auto* p = std::get_if<CandidateProgress>(&e); p && p->candidate == 2) stop.request_stop();
        },
        stop.get_token());
    QVERIFY(ended);
    QCOMPARE(ended->state, store::RunState::cancelled);
    parent_ = workspace_->candidates(run_)->at(0).hash;
    asked = 0;
  }

  void isJudgedAsAChild() {
    const store::RunRecord before = workspace_->run(run_).value();
    QStringList story;
    bool held = true;
    const auto checked = check_edit(*workspace_, run_, edit("mine", "accepted 20", parent_), [&](const Event& e) {
      held = held && is_live(*workspace_, run_);  // so that no run starts meanwhile
      if (std::get_if<CandidateProposed>(&e)) story << "proposed";
      if (const auto* j = std::get_if<CandidateJudged>(&e)) story << QString::fromStdString(enum_string(j->row.state));
      if (const auto* r = std::get_if<RanksChanged>(&e)) story << QString("ranks %1").arg(r->ranks.size());
      if (std::get_if<RunStarted>(&e) || std::get_if<RunEnded>(&e)) story << "run";
    });
    QVERIFY2(checked.has_value(), checked ? "" : checked.error().text().c_str());
    QCOMPARE(story, (QStringList{"proposed", "accepted", "ranks 2"}));
    QVERIFY(held);
    QVERIFY(!checked->known);
    const auto child = workspace_->candidate(checked->candidate);
    QCOMPARE(child->parent, parent_);
    QCOMPARE(child->generator, std::string("manual"));
    QCOMPARE(child->state, store::CandidateState::accepted);
    const auto rows = rows_of(*workspace_, run_);
    for (const CandidateRow& row : rows.value())
      if (row.id == child->id) QCOMPARE(*row.rank, 1);
    // The run is as it was: its own candidate still waits, nobody was asked for more.
    QCOMPARE(asked, 0);
    const store::RunRecord after = workspace_->run(run_).value();
    QCOMPARE(after.state, store::RunState::cancelled);
    QCOMPARE(after.ended, before.ended);
    QCOMPARE(after.options, before.options);
    QCOMPARE(workspace_->candidate(2)->state, store::CandidateState::queued);
    QVERIFY(!is_live(*workspace_, run_));
  }

  void theSameTextIsNotJudgedTwice() {
    int events = 0;
    const auto again = check_edit(*workspace_, run_, edit("first", "accepted 50"), [&](const Event&) { ++events; });
    QVERIFY(again.has_value());
    QVERIFY(again->known);
    QCOMPARE(again->candidate, workspace_->candidates(run_)->at(0).id);
  }

  void aWrongEditIsRejectedAndKept() {
    const auto checked = check_edit(*workspace_, run_, edit("wrong", "rejected", parent_), {});
    QVERIFY(checked.has_value());
    QCOMPARE(workspace_->candidate(checked->candidate)->state, store::CandidateState::rejected);
  }

  void whatIsRefused() {
    const std::size_t before = workspace_->candidates(run_)->size();
    Proposal bad = edit("x", "accepted 1");
    bad.text = "not a candidate";
    const auto no_candidate = check_edit(*workspace_, run_, bad, {});
    QVERIFY(!no_candidate);
    QVERIFY(!check_edit(*workspace_, 999, edit("x", "accepted 1"), {}));
    const auto lock = RunLock::take(workspace_->folder(), run_);
    QVERIFY(lock.has_value());
    const auto live = check_edit(*workspace_, run_, edit("x", "accepted 1"), {});
    QVERIFY(!live);
    QCOMPARE(live.error().code, Code::unavailable);
    QVERIFY(!live.error().message.empty());
    QCOMPARE(workspace_->candidates(run_)->size(), before);
  }

  void askingDoesNotTakeTheLock() {
    const auto folder = workspace_->folder();
    std::jthread asks([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) (void)RunLock::held(folder, run_);
    });
    int refused = 0;
    for (int i = 0; i < 2000; ++i) refused += !RunLock::take(folder, run_);
    QCOMPARE(refused, 0);
  }

  void theSameProgramIsADuplicate() {
    Proposal twin = edit("first twin", "accepted 50", parent_);
    twin.text += "// ptx: the one program\n";
    Proposal other = edit("second twin", "accepted 40", parent_);
    other.text += "// ptx: the one program\n";
    const auto one = check_edit(*workspace_, run_, twin, {});
    const auto two = check_edit(*workspace_, run_, other, {});
    QVERIFY(one && two);
    QCOMPARE(workspace_->candidate(one->candidate)->state, store::CandidateState::accepted);
    const auto again = workspace_->candidate(two->candidate).value();
    QCOMPARE(again.state, store::CandidateState::duplicate);
    QCOMPARE(again.duplicate_of, workspace_->candidate(one->candidate)->hash);
  }

  void cancelled() {
    std::stop_source stop;
    const auto checked = check_edit(
        *workspace_, run_, edit("slow", "hang", parent_),
        [&](const Event& e) {
          if (std::get_if<CandidateProgress>(&e)) stop.request_stop();
        },
        stop.get_token());
    QVERIFY(!checked);
    QCOMPARE(checked.error().code, Code::cancelled);
    QCOMPARE(workspace_->run(run_)->state, store::RunState::cancelled);
  }
};

QTEST_GUILESS_MAIN(EditTest)
#include "edit_test.moc"
