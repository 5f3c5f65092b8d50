// SPDX-License-Identifier: Apache-2.0
// Faulty candidates of the corpus, compiled for a GPU, replayed on the SIMT machine.
#include <QtTest>
#include <filesystem>
#include "base/sealed_folder.h"
#include "base/files.h"
#include "gate/cases.h"
#include "gate/replay.h"
#include "op/parse.h"
#include "support/text_rows.h"

using namespace ww;
using namespace ww::gate;

class ReplayTest : public QObject {
  Q_OBJECT
  std::unique_ptr<compile::Compiler> compiler_;
  op::Spec spec_;
  std::vector<Case> cases_;

  struct Subject {
    candidate::Candidate candidate;
    compile::Output output;
  };
  Subject subject(const std::string& text) {
    Subject s;
    s.candidate = candidate::parse(text, candidate::Language::cuda).value();
    compile::Request request;
    request.code = text;
    request.architecture = "sm_90";
    request.options = s.candidate.options;
    request.resources = false;
    s.output = compiler_->compile(request).value();
    return s;
  }
  static std::string wrong(const std::string& file) {
    return read_file(std::filesystem::path(WW_SOURCE_DIR) / "tests/corpus/wrong" / file).value();
  }
  static op::Binding rows(std::int64_t r, std::int64_t c) { return {{{"R", r}, {"C", c}}, {}}; }
  Result<std::optional<Replay>> replay(const Subject& s, const op::Binding& failing, ReplayOptions options = {}) {
    if (options.cases.empty()) options.cases = cases_;
    return replay_on_simt(spec_, s.candidate, {}, s.output, failing, options);
  }

 private slots:
  void initTestCase() {
    auto compiler = compile::Compiler::open(
        std::make_shared<ww::SealedFolder>(std::filesystem::path(WW_BINARY_DIR) / "corpus-cache"));
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    compiler_ = std::move(*compiler);
    spec_ = op::parse_spec(read_file(resources_dir() / "ops/map/relu.op").value()).value();
    CaseOptions options;
    options.case_limit = 4e5;
    cases_ = derive_cases(spec_, rows(64, 256), options).value();
  }
  void a_small_failing_case_is_run_as_it_is() {
    const auto r = replay(subject(wrong("write_past_the_end.cu")), rows(3, 5));
    QVERIFY(r && *r);
    QCOMPARE((*r)->fault.kind, FaultKind::out_of_bounds);
    QCOMPARE((*r)->fault.buffer, std::string("y"));
    QCOMPARE((*r)->fault.offset, std::int64_t{60});
    QCOMPARE((*r)->fault.line, 10);
    QCOMPARE((*r)->fault.thread[0], 15u);
    QCOMPARE((*r)->binding, rows(3, 5));
    const std::string text = describe(**r, spec_);
    QVERIFY2(text.starts_with("replayed on the SIMT machine at R = 3, C = 5: thread (15,0,0) of block (0,0,0) writes 4 "
                              "bytes out of bounds"),
             text.c_str());
    QVERIFY2(text.find("line 10") != std::string::npos && text.back() != '.', text.c_str());
  }
  void a_large_one_is_replaced_by_the_smallest_claimed() {
    const auto r = replay(subject(wrong("write_past_the_end.cu")), rows(8192, 8192));
    QVERIFY(r && *r);
    const auto work = [&](const op::Binding& b) { return case_work(spec_, b).value(); };
    for (const Case& c : cases_) QVERIFY(work((*r)->binding) <= work(c.binding));
  }
  void without_other_cases_a_large_one_is_reduced() {
    const Subject s = subject(wrong("trap.cu"));
    const auto r = replay_on_simt(spec_, s.candidate, {}, s.output, rows(8192, 8192));
    QVERIFY(r && *r);
    QCOMPARE((*r)->fault.kind, FaultKind::trap);
    QVERIFY(case_work(spec_, (*r)->binding).value() <= 4e5);
  }
  void kinds_data() {
    support::text_rows({"file", "kind"}, {{"null", "null_pointer.cu", "null pointer"},
                                          {"assert", "failed_assertion.cu", "assertion"},
                                          {"stack", "deep_recursion.cu", "stack overflow"},
                                          {"loop", "infinite_loop.cu", "out of budget"},
                                          {"input", "input_overwritten.cu", "write to read-only memory"}});
  }
  void kinds() {
    QFETCH(QString, file);
    QFETCH(QString, kind);
    ReplayOptions options;
    options.seconds = 60;  // no race with a slow machine here
    const auto r = replay(subject(wrong(file.toStdString())), rows(64, 256), options);
    QVERIFY(r && *r);
    QCOMPARE(QString::fromStdString(enum_string((*r)->fault.kind)), kind);
    QVERIFY((*r)->fault.line > 0);
  }
  void a_right_candidate_shows_nothing() {
    const auto r =
        replay(subject("//@ candidate relu\n//@ launch k grid(ceildiv(R * C, 256)) block(256) args(x, y, R * C)\n"
                       "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
                       "  const int i = blockIdx.x * 256 + threadIdx.x;\n  if (i < n) y[i] = fmaxf(x[i], 0.0f);\n}\n"),
               rows(64, 256));
    QVERIFY(r.has_value());
    QVERIFY(!*r);
  }
  void unknown_instructions_and_launches_show_nothing() {
    Subject s = subject(wrong("write_past_the_end.cu"));
    s.output.ptx = "not PTX at all";
    QVERIFY(replay(s, rows(3, 5)) && !*replay(s, rows(3, 5)));
    const auto cluster =
        replay(subject("//@ candidate relu\n//@ launch k grid(2) block(32) cluster(2) args(x, y)\n"
                       "extern \"C\" __global__ void k(const float* x, float* y) { y[1 << 30] = x[0]; }\n"),
               rows(3, 5));
    QVERIFY(cluster.has_value());
    QVERIFY(!*cluster);
  }
  void cases_it_does_not_claim_are_not_run() {
    const std::string text = wrong("write_past_the_end.cu");
    const std::string picky =
        text.substr(0, text.find("//@ launch")) + "//@ require C % 2 == 0\n" + text.substr(text.find("//@ launch"));
    const auto r = replay(subject(picky), rows(8192, 8192));
    QVERIFY(r && *r);
    QCOMPARE((*r)->binding.symbols.at("C") % 2, 0);
  }
  void no_time_gives_nothing_and_a_cancellation_an_error() {
    const Subject s = subject(wrong("write_past_the_end.cu"));
    ReplayOptions none;
    none.seconds = 0;
    const auto r = replay(subject(wrong("infinite_loop.cu")), rows(64, 256), none);
    QVERIFY(r.has_value());
    QVERIFY(!*r);
    std::stop_source source;
    source.request_stop();
    ReplayOptions cancelled;
    cancelled.stop = source.get_token();
    const auto c = replay(subject(wrong("unwritten_tail.cu")), rows(64, 256), cancelled);
    QVERIFY(!c);
    QCOMPARE(c.error().code, Code::cancelled);
  }
};

QTEST_APPLESS_MAIN(ReplayTest)
#include "replay_test.moc"
