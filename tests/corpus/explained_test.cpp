// SPDX-License-Identifier: Apache-2.0
// What `gate --explain` prints and docs/gate.md has are the same, and speak of the kernels that there are.
#include <QtTest>
#include <algorithm>
#include "base/files.h"
#include "corpus/explained.h"
#include "corpus/kernels.h"

using namespace ww;
using namespace ww::corpus;

class ExplainedTest : public QObject {
  Q_OBJECT

 private slots:
  void everyStageIsExplainedInOrder() {
    const auto all = Explained::load();
    QVERIFY2(all.has_value(), all ? "" : all.error().text().c_str());
    QVERIFY(std::ranges::equal(all->stages, evidence::all_stages, {}, &ExplainedStage::stage));
    QVERIFY(all->stage("smoke") && !all->stage("nonsense"));
  }
  void everyKindOfCheatIsExplained() {
    const Explained all = Explained::load().value();
    const std::vector<Kernel> kernels = kernels_in(corpus_folder() / "cheats").value();
    for (const Kernel& k : kernels) QVERIFY2(all.kind(k.kind) != nullptr, k.kind.c_str());
  }
  void thePageHasTheSameTables() {
    const Explained all = Explained::load().value();
    const std::string page = read_file(std::filesystem::path(WW_SOURCE_DIR) / "docs/gate.md").value();
    for (const ExplainedStage& s : all.stages) {
      const std::string row = "\n| " + enum_string(s.stage) + " | " + s.checks + " |\n";
      QVERIFY2(page.find(row) != std::string::npos, row.c_str());
    }
    for (const ExplainedKind& k : all.kinds) {
      const std::string row = "\n| " + k.name + " | " + k.cheat + " | " + k.example + " | " + k.met_by + " | ";
      QVERIFY2(page.find(row) != std::string::npos, row.c_str());
      for (const Source& s : k.sources) QVERIFY2(page.find(s.url) != std::string::npos, s.url.c_str());
    }
  }
};

QTEST_APPLESS_MAIN(ExplainedTest)
#include "explained_test.moc"
