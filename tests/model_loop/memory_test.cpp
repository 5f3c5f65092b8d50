// SPDX-License-Identifier: Apache-2.0
// Kernels that a workspace remembers, taken into another one.
#include <QtTest>
#include "model_loop/memory_file.h"
#include "model_loop/scripted_model_runs.h"

using namespace ww;
using namespace ww::explore;
using namespace ww::generator;
using namespace ww::testing;
using namespace ww::model_loop;

namespace {

bool has(const std::string& text, const std::string& what) { return text.find(what) != std::string::npos; }

}  // namespace

class MemoryTest : public QObject, ScriptedModelRuns {
  Q_OBJECT

  std::vector<std::string> prompts_of_a_run(std::uint64_t seed) {
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      prompts.push_back(said(r));
      return sensible(r, c);
    });
    RunOptions o = options_with({"refine"}, 2);
    o.model.seed = seed;
    last_ = go(o);
    return prompts;
  }
  RunEnded last_;

 private slots:
  void initTestCase() { offer_model(); }
  void init() { renew(); }

  void kernelsGoFromOneWorkspaceToAnother() {
    RunOptions o = options_with({"refine"}, 5);
    QCOMPARE(go(o).state, store::RunState::done);
    const Result<MemoryFile> written = exported_memory(*workspace_);
    QVERIFY2(written.has_value(), written ? "" : written.error().text().c_str());
    QCOMPARE(written->kernels.size(), std::size_t{1});
    const MemoryEntry& kernel = written->kernels[0];
    QVERIFY(kernel.op == "scale" && kernel.device == "simt" && kernel.score > 0 &&
            has(kernel.code, "//@ candidate scale"));
    const std::string text = memory_to_json(*written);

    renew();  // another workspace: it is told of nothing
    for (const std::string& p : prompts_of_a_run(21)) QVERIFY(!has(p, kernel.code));
    renew();
    const Result<MemoryFile> read = memory_from_json(text);
    QVERIFY2(read.has_value(), read ? "" : read.error().text().c_str());
    QCOMPARE(import_memory(workspace_->folder(), *read).value(), 1);
    QCOMPARE(import_memory(workspace_->folder(), *read).value(), 0);  // it is there already
    const std::vector<std::string> prompts = prompts_of_a_run(22);
    const RunEnded told = last_;
    QVERIFY2(!prompts.empty() && has(prompts[0], "imported kernel -1, scale") &&
                 has(prompts[0], "it was never judged here") &&
                 has(prompts[0], "Code of imported kernel -1, for this op") && has(prompts[0], kernel.code),
             prompts.empty() ? "" : prompts[0].c_str());
    const RunEnded again = replay(told.run);
    QVERIFY2(again.state == store::RunState::done, (again.why + log(again.run)).c_str());
    // What was imported is not exported again.
    for (const MemoryEntry& e : exported_memory(*workspace_)->kernels) QVERIFY(e.hash != kernel.hash);

    QVERIFY(!forget_memory(workspace_->folder(), "ab"));
    QCOMPARE(forget_memory(workspace_->folder(), "ffffffffff").value(), 0);
    QCOMPARE(forget_memory(workspace_->folder(), kernel.hash.substr(0, 8)).value(), 1);
    QVERIFY(imported_memory(workspace_->folder()).empty());
    for (const std::string& p : prompts_of_a_run(23)) QVERIFY(!has(p, "imported kernel"));
  }

  void ofAnotherDeviceNothingIsTold() {
    QCOMPARE(go(options_with({"refine"}, 5)).state, store::RunState::done);
    MemoryFile file = exported_memory(*workspace_).value();
    file.kernels[0].device = "NVIDIA H200";
    renew();
    QCOMPARE(import_memory(workspace_->folder(), file).value(), 1);
    for (const std::string& p : prompts_of_a_run(24)) QVERIFY(!has(p, "imported kernel"));
  }

  // It is free text of the model that wrote the kernel, and may quote its code.
  void notesAreNotSentWithoutSources() {
    use([&](const llm::Request& r, std::stop_token) -> Result<std::string> {
      return file(script::candidate("quick " + number(r), "accepted 5000"), "SECRETMARK: r = blockIdx.x first");
    });
    RunOptions o = options_with({"refine"}, 2);
    o.model.analyst = "none";
    QCOMPARE(go(o).state, store::RunState::done);
    QCOMPARE(exported_memory(*workspace_)->kernels.size(), std::size_t{1});
    bool told = false;
    for (const std::string& p : prompts_of_a_run(25)) told = told || has(p, "last step: SECRETMARK");
    QVERIFY(told);
    std::vector<std::string> prompts;
    use([&](const llm::Request& r, std::stop_token c) {
      prompts.push_back(said(r));
      return sensible(r, c);
    });
    o.model.limits.sources = false;
    o.model.seed = 26;
    QCOMPARE(go(o).state, store::RunState::done);
    QVERIFY(!prompts.empty() && has(prompts[0], "- candidate 1, scale"));
    for (const std::string& p : prompts) QVERIFY2(!has(p, "SECRETMARK"), p.c_str());
  }

  void wrongFilesAreRefused_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const char* from, const char* to, const char* says) {
      QTest::newRow(name) << from << to << says;
    };
    row("no JSON", "{", "<", "cannot be read");
    row("another version", "warpwright/memory/1", "warpwright/memory/9", "no memory of this version");
    row("no kernels", "\"kernels\"", "\"colonels\"", "kernels");
    row("a changed code", "//@ title", "//@ title x", "does not have the hash");
    row("no candidate", "//@ launch", "// launch", "no candidate");
    row("no spec", "op scale(", "op scale[", "its spec has errors");
    row("another op", "\"op\":\"scale\"", "\"op\":\"twice\"", "another op");
    row("no score", "\"score\":", "\"score\":-", "is missing");
    row("no device", "\"device\":\"simt\"", "\"device\":\"\"", "is missing");
  }
  void wrongFilesAreRefused() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, says);
    QCOMPARE(go(options_with({"refine"}, 5)).state, store::RunState::done);
    QString text = QString::fromStdString(memory_to_json(exported_memory(*workspace_).value()));
    text.replace("\": ", "\":");
    QVERIFY2(text.contains(from), qPrintable(text));
    text.replace(text.indexOf(from), from.size(), to);
    const Result<MemoryFile> read = memory_from_json(text.toStdString());
    QVERIFY(!read.has_value());
    QVERIFY2(QString::fromStdString(read.error().text()).contains(says), read.error().text().c_str());
  }

  void aSpoiltFileIsLeftOutAndNamed() {
    QCOMPARE(go(options_with({"refine"}, 5)).state, store::RunState::done);
    const MemoryFile file = exported_memory(*workspace_).value();
    renew();
    QCOMPARE(import_memory(workspace_->folder(), file).value(), 1);
    QVERIFY(write_file_atomic(workspace_->folder() / "memory" / "spoilt.json", "{}").has_value());
    std::vector<std::string> problems;
    QCOMPARE(imported_memory(workspace_->folder(), &problems).size(), std::size_t{1});
    QVERIFY(problems.size() == 1 && problems[0].starts_with("spoilt.json: "));
  }
};

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
