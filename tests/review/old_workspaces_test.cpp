// SPDX-License-Identifier: Apache-2.0
// Workspaces and receipts of older versions (fixtures/README.md) open, verify, and say nothing that they do not know.
#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include "base/files.h"
#include "review/decision.h"
#include "store/bundle.h"
#include "store/workspace.h"

using namespace ww;
using namespace ww::review;
namespace fs = std::filesystem;

class OldWorkspacesTest : public QObject {
  Q_OBJECT
  QTemporaryDir dir_;
  const fs::path fixtures_ = fs::path(WW_SOURCE_DIR) / "tests/review/fixtures";

  std::unique_ptr<store::Workspace> accepted() {
    const fs::path folder = fs::path(dir_.path().toStdString()) / "accepted";
    if (!fs::exists(folder) && !store::import_bundle(fixtures_ / "accepted.wwb", folder)) qFatal("import");
    return store::Workspace::open(folder, store::Workspace::Access::write).value();
  }
  std::unique_ptr<store::Workspace> rejected() {
    const fs::path folder = fs::path(dir_.path().toStdString()) / "rejected";
    if (!fs::exists(folder)) fs::copy(fixtures_ / "rejected", folder, fs::copy_options::recursive);
    return store::Workspace::open(folder, store::Workspace::Access::write).value();
  }

 private slots:
  void aReceiptStillVerifies() {
    const std::string receipt = read_file(fixtures_ / "receipt.json").value();
    const Verification v = verify(receipt);
    QVERIFY2(v.genuine(), v.problems.empty() ? "" : v.problems.front().c_str());
    QVERIFY(receipt_markdown(receipt));
    auto w = accepted();
    const Verification against = verify_against(receipt, *w).value();
    QVERIFY(against.genuine());
    for (const Change& c : against.changes) {  // the shipped checklist may have other words since
      QVERIFY2(!c.against, c.text.c_str());
      QVERIFY2(c.text.find("judged again") == std::string::npos, c.text.c_str());
    }
    QCOMPARE(receipt_of(w->reviews(2).value(), w->candidate(2).value().hash), receipt);
  }
  void verdictsAndReviewsAreRead() {
    auto w = rejected();
    const store::CandidateRecord wrong = w->candidate(1).value(), right = w->candidate(2).value();
    QVERIFY(wrong.verdict && !wrong.verdict->accepted && right.verdict && right.verdict->accepted);
    QCOMPARE(wrong.verdict->stages.at(2).failure->element->index, (std::vector<std::int64_t>{2, 1}));
    QVERIFY(right.verdict->metrics && !right.verdict->ptx.empty());
    QCOMPARE(wrong.verdict->stages.back().skipped, evidence::SkipReason::unknown);
    QCOMPARE(w->reviews(1)->front().kind, store::ReviewKind::rejected);
    // Nothing says whose it was: it counts as imported.
    const std::vector<store::ReviewRecord> reviews = w->reviews(1).value();
    QVERIFY(wrong.imported && right.imported && w->run(wrong.run)->imported);
    QCOMPARE(state_of(reviews, wrong.hash), ReviewState::open);
    QCOMPARE(imported_state_of(reviews, wrong.hash), ReviewState::rejected);
    QCOMPARE(w->reviews(1)->size(), std::size_t{1});
  }
  void whatAnOldVerdictDoesNotSayIsUnknown() {
    auto w = accepted();
    const store::CandidateRecord c = w->candidate(2).value();
    QVERIFY(c.verdict && !c.verdict->proof.elements);
    QCOMPARE(c.verdict->proof.reproducibility, evidence::Reproducibility::unknown);
    QCOMPARE(c.verdict->proof.checks, evidence::Checks());
    const Dossier dossier = dossier_of(*w, 2).value();
    QVERIFY(dossier.compiler.starts_with("NVRTC "));  // of the run's environment
    std::string concerns;
    for (const Fact& f : facts_of(dossier))
      if (f.concern) concerns += f.text + '\n';
    for (const char* part : {"how many output elements were compared", "bitwise reproducibility: unknown",
                             "Unknown whether it was checked for"})
      QVERIFY2(concerns.find(part) != std::string::npos, concerns.c_str());
  }
};

QTEST_GUILESS_MAIN(OldWorkspacesTest)
#include "old_workspaces_test.moc"
