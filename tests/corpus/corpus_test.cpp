// SPDX-License-Identifier: Apache-2.0
// Candidates that are wrong on purpose, and right ones of many styles, through the real worker. Each file says in
// comments what is expected:
//   // op: FOLDER/NAME           of resources/ops, or NAME.op of specs/
//   // bind: SYMBOL = INT, …     the default case (optional)
//   // arch: sm_XX               (optional)
//   // known: REASON            what is expected is not so yet; the test fails when it comes to be (then remove the
//                               line)
//   // expect: accepted
//   // expect: stage=NAME[|NAME] [fault=KIND-WITH-HYPHENS] [tensor=NAME [element=INDEX[,INDEX]]]
//
// And one in twelve of the many of resources/corpus (corpus/kernels.h), where "known" says what is not so yet, too.
// WW_CORPUS_ALL=1: all of them. They are judged with one secret, so that runs repeat; others of honest/ also with one
// that changes from day to day, and that the row names. WW_CORPUS_SECRET=DIGITS: that one for all.
#include <QtTest>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include "base/files.h"
#include "base/hash.h"
#include "expectation.h"
#include "evidence/verdict_json.h"
#include "rpc/supervisor.h"

using namespace ww;
using namespace ww::corpus;
namespace fs = std::filesystem;

namespace {

const fs::path tests_folder = fs::path(WW_SOURCE_DIR) / "tests/corpus";

}  // namespace

class CorpusTest : public QObject {
  Q_OBJECT
  std::unique_ptr<rpc::Supervisor> supervisor_;
  std::map<std::string, std::vector<Kernel>> many_;
  const std::string secret_ = qEnvironmentVariable("WW_CORPUS_SECRET", "5eed5eed5eed5eed").toStdString();

  void rows(const char* folder) {
    QTest::addColumn<QString>("file");
    std::vector<fs::path> files;
    for (const fs::directory_entry& e : fs::directory_iterator(tests_folder / folder)) files.push_back(e.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& f : files) QTest::newRow(f.filename().c_str()) << QString::fromStdString(f.string());
  }

  Result<evidence::Verdict> judge(const std::string& file, std::string& text) {
    const auto content = read_file(file);
    if (!content) return fail(content.error());
    text = *content;
    const std::string op = comment(text, "op");
    const auto spec =
        read_file(op.ends_with(".op") ? corpus_folder() / "specs" / op : resources_dir() / "ops" / (op + ".op"));
    if (!spec) return fail(spec.error());
    rpc::GateRequest r;
    r.spec = *spec;
    r.candidate = text;
    r.language = file.ends_with(".ptx") ? candidate::Language::ptx : candidate::Language::cuda;
    r.binding = WW_TRY(binding_of(comment(text, "bind")));
    r.secret = secret_;
    if (const std::string arch = comment(text, "arch"); !arch.empty()) r.architecture = arch;
    return supervisor_->gate(r);
  }

 private slots:
  void initTestCase() {
    rpc::WorkerOptions options;
    options.compile_cache = fs::path(WW_BINARY_DIR) / "corpus-cache";
    supervisor_ = std::make_unique<rpc::Supervisor>(options);
    const Status warm = supervisor_->warm_up();
    QVERIFY2(warm.has_value(), warm ? "" : warm.error().text().c_str());
  }
  void wrongOnesAreRejected_data() { rows("wrong"); }
  void wrongOnesAreRejected() {
    QFETCH(QString, file);
    std::string text;
    const auto v = judge(file.toStdString(), text);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    const std::string all = evidence::verdict_to_json(*v, 2);
    const std::string known = comment(text, "known");
    if (!known.empty()) QEXPECT_FAIL("", known.c_str(), Abort);
    QVERIFY2(!v->accepted, "a wrong kernel was accepted");
    const auto expected = expectation(comment(text, "expect"));
    const evidence::StageResult* failed = v->last_stage();
    QVERIFY2(failed, all.c_str());
    const std::string shown = v->summary() + "\n" + failed->message + "\n" + failed->detail.substr(0, 2000);
    const std::string other = mismatch(*v, comment(text, "expect"));
    QVERIFY2(other.empty(), (other + "\n" + shown).c_str());
    QVERIFY2(all.find("root:") == std::string::npos && all.find("/bin/") == std::string::npos,
             "lines of a file of the host");
    QVERIFY2(failed->detail.size() < (200 << 10), "the detail of a verdict is bounded");
    if (expected.contains("fault")) {  // placed in the candidate's own text
      const int line = failed->failure->fault->line;
      const bool placed = failed->failure->fault->kind != FaultKind::unsupported;  // some by the loader
      QVERIFY2(line >= placed && line <= std::count(text.begin(), text.end(), '\n'), shown.c_str());
    } else if (failed->failure) {
      QVERIFY2(!failed->failure->fault || !expected.contains("tensor"), shown.c_str());
    }
    if (expected.contains("tensor")) QVERIFY2(failed->failure->element->wrong > 0, shown.c_str());
    if (expected.contains("element")) {
      std::vector<std::int64_t> index;
      for (const std::string& i : split(expected.at("element"), ',')) index.push_back(std::stoll(i));
      QVERIFY2(failed->failure->element->index == index, shown.c_str());
    }
    if (failed->stage > evidence::Stage::compile)
      QVERIFY2(failed->failure && !failed->failure->case_name.empty(), shown.c_str());
  }
  void many_data() {
    QTest::addColumn<QString>("folder");
    QTest::addColumn<int>("number");
    QTest::addColumn<QString>("secret");
    const auto add = [&](const std::string& folder, std::size_t first, std::size_t step, const std::string& secret) {
      for (std::size_t i = first; i < many_.at(folder).size(); i += step) {
        const Kernel& k = many_.at(folder)[i];
        QTest::addRow("%s: %s (%s)", k.kind.c_str(), k.name.c_str(), secret.c_str())
            << QString::fromStdString(folder) << static_cast<int>(i) << QString::fromStdString(secret);
      }
    };
    for (const char* folder : {"cheats", "honest"}) many_[folder] = kernels_in(corpus_folder() / folder).value();
    const bool all = qEnvironmentVariableIntValue("WW_CORPUS_ALL") != 0;
    const std::size_t step = all ? 1 : 12;
    for (const char* folder : {"cheats", "honest"}) add(folder, 0, step, secret_);
    if (all || qEnvironmentVariableIsSet("WW_CORPUS_SECRET")) return;
    const auto day = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()).time_since_epoch().count();
    add("honest", static_cast<std::size_t>(day) % step, step, hash_hex(std::to_string(day)).substr(0, 16));
  }
  void many() {
    QFETCH(QString, folder);
    QFETCH(int, number);
    QFETCH(QString, secret);
    const Kernel& k = many_.at(folder.toStdString()).at(static_cast<std::size_t>(number));
    rpc::GateRequest r;
    r.spec = k.spec;
    r.candidate = k.text;
    r.binding = k.binding;
    r.secret = secret.toStdString();
    const auto v = supervisor_->gate(r);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QCOMPARE(v->proof.secret, r.secret);
    if (!k.known.empty()) QEXPECT_FAIL("", k.known.c_str(), Abort);
    if (!k.limited.empty())
      QVERIFY2(!v->accepted || evidence::wrong_in_long(v->proof.long_tensors), seen(*v).c_str());
    else
      QVERIFY2(v->accepted == (folder == "honest"), seen(*v).c_str());
  }
  void rightOnesAreAccepted_data() { rows("right"); }
  void rightOnesAreAccepted() {
    QFETCH(QString, file);
    std::string text;
    const auto v = judge(file.toStdString(), text);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QCOMPARE(comment(text, "expect"), std::string("accepted"));
    const std::string known = comment(text, "known");
    if (!known.empty()) QEXPECT_FAIL("", known.c_str(), Abort);
    QVERIFY2(v->accepted, evidence::verdict_to_json(*v, 2).substr(0, 4000).c_str());
    const auto proved = std::count_if(v->coverage.begin(), v->coverage.end(),
                                      [](const evidence::CaseCoverage& c) { return c.seeds > 0; });
    QVERIFY2(proved >= 3, v->summary().c_str());
    QVERIFY(v->metrics.has_value() && v->metrics->provenance == Provenance::simulated && !v->metrics->values.empty());
    QVERIFY(!v->resources.empty());
  }
};

QTEST_APPLESS_MAIN(CorpusTest)
#include "corpus_test.moc"
