// SPDX-License-Identifier: Apache-2.0
// Every kernel of tests/corpus/faults on the SIMT machine, and the twenty of them in one run with good candidates
// between them.
#include <QTemporaryDir>
#include <QtTest>
#include "expectation.h"
#include "fault_run.h"
#include "rpc/supervisor.h"

using namespace ww;
using namespace ww::corpus;
namespace fs = std::filesystem;

class FaultsTest : public QObject {
  Q_OBJECT
  std::vector<FaultKernel> kernels_;
  std::unique_ptr<rpc::Supervisor> supervisor_;

  static rpc::WorkerOptions worker() {
    rpc::WorkerOptions options;
    options.compile_cache = fs::path(WW_BINARY_DIR) / "corpus-cache";
    return options;
  }
  void kernels() {
    if (kernels_.empty()) kernels_ = fault_kernels(faults_folder()).value();
  }

 private slots:
  void initTestCase() {
    kernels();
    supervisor_ = std::make_unique<rpc::Supervisor>(worker());
    const Status warm = supervisor_->warm_up();
    QVERIFY2(warm.has_value(), warm ? "" : warm.error().text().c_str());
  }
  void there_are_enough() {
    QCOMPARE(std::count_if(kernels_.begin(), kernels_.end(), [](const FaultKernel& k) { return !k.extra; }), 20);
    for (const FaultKernel& k : kernels_) {
      QVERIFY2(expectation(k.cuda).contains("stage"), k.name.c_str());
      QVERIFY2(!k.simt.empty(), k.name.c_str());
    }
  }
  void on_the_simt_machine_data() {
    kernels();
    QTest::addColumn<int>("index");
    for (std::size_t i = 0; i < kernels_.size(); ++i) QTest::newRow(kernels_[i].name.c_str()) << static_cast<int>(i);
  }
  void on_the_simt_machine() {
    QFETCH(int, index);
    const FaultKernel& k = kernels_[static_cast<std::size_t>(index)];
    rpc::GateRequest request;
    request.spec = relu_spec().value();
    request.candidate = k.text;
    request.binding = binding_of(comment(k.text, "bind")).value();
    request.seeds = 1;
    const auto v = supervisor_->gate(request);
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    const std::string wrong = mismatch(*v, k.simt);
    QVERIFY2(wrong.empty(), (wrong + "\n" + seen(*v)).c_str());
    QCOMPARE(supervisor_->started(), 1);  // a simulated fault harms no worker
  }
  void all_in_one_run() {
    std::vector<FaultKernel> twenty;
    for (const FaultKernel& k : kernels_)
      if (!k.extra) twenty.push_back(k);
    const op::Binding binding = binding_of("R = 64, C = 256").value();
    const auto goods = good_candidates(relu_spec().value(), binding, 20);
    QVERIFY2(goods, goods ? "" : goods.error().text().c_str());
    QTemporaryDir dir;
    FaultRunOptions options;
    options.binding = binding;
    options.workspace = fs::path(dir.path().toStdString()) / "workspace";
    options.worker = worker();
    options.seeds = 1;
    const auto run = run_faults(twenty, *goods, options);
    QVERIFY2(run, run ? "" : run.error().text().c_str());
    for (const FaultRow& row : run->rows)
      QVERIFY2(row.wrong.empty(), (row.name + ": " + row.wrong + "; " + row.seen).c_str());
    QCOMPARE(run->rows.size(), std::size_t{40});
    QCOMPARE(run->state, std::string("done"));
    QCOMPARE(run->lost, 0);
    QVERIFY(run->right());
  }
  void what_is_not_as_expected_is_said() {
    evidence::Verdict v;
    evidence::StageResult s;
    s.stage = evidence::Stage::smoke;
    s.outcome = evidence::Outcome::failed;
    s.message = "an illegal memory access";
    s.failure = evidence::Failure{};
    s.failure->fault = Fault{};
    s.failure->fault->kind = FaultKind::out_of_bounds;
    s.failure->fault->message = "an illegal memory access";
    v.stages = {s};
    QCOMPARE(mismatch(v, "stage=smoke fault=trap|out-of-bounds"), std::string());
    QCOMPARE(seen(v), std::string("smoke, out of bounds: an illegal memory access"));
    for (const char* line : {"accepted", "", "stage=cases", "stage=smoke fault=trap", "stage=smoke tensor=y"})
      QVERIFY2(!mismatch(v, line).empty(), line);
    v.accepted = true;
    QVERIFY(!mismatch(v, "stage=smoke").empty());
    QVERIFY(mismatch(v, "accepted").empty());
    FaultRun run;
    run.state = "done";
    QVERIFY(run.right());
    run.lost = 1;
    QVERIFY(!run.right());
    run.lost = 0;
    run.rows.push_back({"x", "accepted", "rejected", "it was not accepted"});
    QVERIFY(!run.right());
  }
};

QTEST_GUILESS_MAIN(FaultsTest)
#include "faults_test.moc"
