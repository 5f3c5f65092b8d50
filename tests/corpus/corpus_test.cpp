// SPDX-License-Identifier: Apache-2.0
// Candidates that are wrong on purpose, and right ones of many styles, through the real worker. Each file says in comments what is expected:
//   // op: FOLDER/NAME           of resources/ops, or NAME.op of specs/
//   // bind: SYMBOL = INT, …     the default case (optional)
//   // arch: sm_XX               (optional)
//   // known: REASON            what is expected is not so yet; the test fails when it comes to be (then remove the line)
//   // expect: accepted
//   // expect: stage=NAME[|NAME] [fault=KIND-WITH-HYPHENS] [tensor=NAME [element=INDEX[,INDEX]]]
#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>
#include "base/files.h"
#include "gate/verdict_json.h"
#include "rpc/supervisor.h"

using namespace ww;
namespace fs = std::filesystem;

namespace {

const fs::path corpus = fs::path(WW_SOURCE_DIR) / "tests/corpus";

// What stands behind "// KEY: " in the text.
std::string comment(const std::string& text, const std::string& key) {
  const std::string start = "// " + key + ": ";
  std::size_t at = text.starts_with(start) ? 0 : text.find("\n" + start);
  if (at == std::string::npos) return {};
  at = text.find(start, at) + start.size();
  return text.substr(at, text.find('\n', at) - at);
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, by);)
    if (!part.empty()) out.push_back(part);
  return out;
}

std::map<std::string, std::string> expectation(const std::string& line) {
  std::map<std::string, std::string> out;
  for (const std::string& word : split(line, ' ')) {
    const std::size_t eq = word.find('=');
    out[word.substr(0, eq)] = eq == std::string::npos ? "" : word.substr(eq + 1);
  }
  return out;
}

op::Binding binding_of(const std::string& line) {
  op::Binding b;
  for (const std::string& part : split(line, ',')) {
    std::istringstream in(part);
    std::string name, eq;
    std::int64_t value = 0;
    in >> name >> eq >> value;
    b.symbols[name] = value;
  }
  return b;
}

}  // namespace

class CorpusTest : public QObject {
  Q_OBJECT
  std::unique_ptr<rpc::Supervisor> supervisor_;

  void rows(const char* folder) {
    QTest::addColumn<QString>("file");
    std::vector<fs::path> files;
    for (const fs::directory_entry& e : fs::directory_iterator(corpus / folder)) files.push_back(e.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& f : files) QTest::newRow(f.filename().c_str()) << QString::fromStdString(f.string());
  }

  Result<gate::Verdict> judge(const std::string& file, std::string& text) {
    const auto content = read_file(file);
    if (!content) return fail(content.error());
    text = *content;
    const std::string op = comment(text, "op");
    const auto spec = read_file(op.ends_with(".op") ? corpus / "specs" / op : resources_dir() / "ops" / (op + ".op"));
    if (!spec) return fail(spec.error());
    rpc::GateRequest r;
    r.spec = *spec;
    r.candidate = text;
    r.language = file.ends_with(".ptx") ? candidate::Language::ptx : candidate::Language::cuda;
    r.binding = binding_of(comment(text, "bind"));
    if (const std::string arch = comment(text, "arch"); !arch.empty()) r.architecture = arch;
    return supervisor_->gate(r);
  }

 private slots:
  void initTestCase() {
    rpc::WorkerOptions options;
    options.compile_cache = fs::path(WW_BINARY_DIR) / "corpus-cache";
    supervisor_ = std::make_unique<rpc::Supervisor>(options);
    const Status warm = supervisor_->warm_up();
    if (!warm && warm.error().code == Code::unavailable) QSKIP(warm.error().text().c_str());
    QVERIFY2(warm.has_value(), warm ? "" : warm.error().text().c_str());
  }
  void wrongOnesAreRejected_data() { rows("wrong"); }
  void wrongOnesAreRejected() {
    QFETCH(QString, file);
    std::string text;
    const auto v = judge(file.toStdString(), text);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    const std::string all = gate::verdict_to_json(*v, 2);
    const std::string known = comment(text, "known");
    if (!known.empty()) QEXPECT_FAIL("", known.c_str(), Abort);
    QVERIFY2(!v->accepted, "a wrong kernel was accepted");
    const auto expected = expectation(comment(text, "expect"));
    QVERIFY2(expected.contains("stage"), "the file does not say what is expected");
    const auto failed = std::find_if(v->stages.begin(), v->stages.end(), [](const gate::StageResult& s) { return s.outcome == gate::Outcome::failed; });
    QVERIFY2(failed != v->stages.end(), all.c_str());
    const std::vector<std::string> stages = split(expected.at("stage"), '|');
    const std::string shown = v->summary() + "\n" + failed->message + "\n" + failed->detail.substr(0, 2000);
    QVERIFY2(std::find(stages.begin(), stages.end(), gate::stage_name(failed->stage)) != stages.end(), shown.c_str());
    QVERIFY2(!failed->message.empty(), all.c_str());
    QVERIFY2(all.find("root:") == std::string::npos && all.find("/bin/") == std::string::npos, "lines of a file of the host");
    QVERIFY2(failed->detail.size() < (200 << 10), "the detail of a verdict is bounded");
    if (expected.contains("fault")) {
      QVERIFY2(failed->failure && failed->failure->fault, shown.c_str());
      std::string kind = failed->failure->fault->kind;
      std::replace(kind.begin(), kind.end(), ' ', '-');
      QVERIFY2(kind == expected.at("fault"), (failed->failure->fault->kind + ": " + shown).c_str());
      QVERIFY(!failed->failure->fault->message.empty());
      // Placed in the candidate's own text.
      QVERIFY2(failed->failure->fault->line >= 0 && failed->failure->fault->line <= std::count(text.begin(), text.end(), '\n'), shown.c_str());
    } else if (failed->failure) {
      QVERIFY2(!failed->failure->fault || !expected.contains("tensor"), shown.c_str());
    }
    if (expected.contains("tensor")) {
      QVERIFY2(failed->failure && failed->failure->element, shown.c_str());
      QVERIFY2(failed->failure->element->tensor == expected.at("tensor"), shown.c_str());
      QVERIFY2(failed->failure->element->wrong > 0, shown.c_str());
    }
    if (expected.contains("element")) {
      std::vector<std::int64_t> index;
      for (const std::string& i : split(expected.at("element"), ',')) index.push_back(std::stoll(i));
      QVERIFY2(failed->failure->element->index == index, shown.c_str());
    }
    if (failed->stage > gate::Stage::compile) QVERIFY2(failed->failure && !failed->failure->case_name.empty(), shown.c_str());
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
    QVERIFY2(v->accepted, gate::verdict_to_json(*v, 2).substr(0, 4000).c_str());
    const auto proved = std::count_if(v->coverage.begin(), v->coverage.end(), [](const gate::CaseCoverage& c) { return c.seeds > 0; });
    QVERIFY2(proved >= 3, v->summary().c_str());
    QVERIFY(v->metrics.has_value() && v->metrics->provenance == "simulated" && !v->metrics->values.empty());
    QVERIFY(!v->resources.empty());
  }
};

QTEST_APPLESS_MAIN(CorpusTest)
#include "corpus_test.moc"
