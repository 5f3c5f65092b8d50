// SPDX-License-Identifier: Apache-2.0
// `sim exec`: whole programs that call the CUDA runtime, which is ours.
#include <QDir>
#include <QJsonArray>
#include <QTemporaryDir>
#include <csignal>
#include "support/cli_call.h"
#include "support/simt_machine.h"

using namespace ww::testing;

namespace {

const char* const kernels = R"(__constant__ float factor;
extern "C" __global__ void add(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += factor * x[i];
}
extern "C" __global__ void race(int* p) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  p[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" __global__ void outside(int* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
extern "C" __global__ void tell() { printf("thread %d\n", threadIdx.x); }
)";

}  // namespace

class ProgramTest : public QObject, ::testing::WithSimt {
  Q_OBJECT
  QTemporaryDir dir_;
  QString ptx_;

  Outcome run(const QStringList& words) {
    return call_cli(CLI_PROGRAM, QStringList{"sim", "exec"} + words, environment_with({}));
  }
  Outcome program(const QString& what, const QString& packing = "none") {
    return run({"--json", CUDA_PROGRAM, ptx_, packing, what});
  }
  static QJsonObject report(const Outcome& o) { return o.json()["execution"].toObject(); }
  static QJsonArray findings(const Outcome& o) { return report(o)["findings"].toArray(); }
  static QString refused(const Outcome& o) { return report(o)["refused"].toArray()[0].toString(); }

 private slots:
  void initTestCase() {
    open_simt();
    ww::compile::Request request;
    request.code = kernels;
    request.resources = false;
    const auto output = compiler_->compile(request);
    QVERIFY2(output, output ? "" : output.error().text().c_str());
    ptx_ = write_file(dir_.filePath("kernels.ptx"), QByteArray::fromStdString(output->ptx));
  }

  void aProgramRuns_data() {
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("packing");
    for (const char* packing : {"none", "lz4", "zstd"}) QTest::newRow(packing) << "add" << packing;
    for (const char* what : {"managed", "host"}) QTest::newRow(what) << what << "none";
  }
  void aProgramRuns() {
    QFETCH(QString, what);
    QFETCH(QString, packing);
    const Outcome o = program(what, packing);
    QVERIFY2(o.exit == 0, o.out + o.err);
    QCOMPARE(o.err, QByteArray("y[0] = 7, y[999] = 7\n"));
    const QJsonObject kernel = report(o)["kernels"].toArray()[0].toObject();
    QCOMPARE(kernel["name"].toString(), QString("add"));
    QCOMPARE(kernel["launches"].toInt(), 1);
    QVERIFY(kernel["warp_instructions"].toInt() > 0);
  }

  void whatAKernelPrintsIsThePrograms() {
    const Outcome o = run({CUDA_PROGRAM, ptx_, "none", "tell"});
    QCOMPARE(o.out, QByteArray("thread 0\nthread 1\n"));
    QVERIFY2(o.exit == 0 && o.err.contains("Passed"), o.err);
  }

  void racesAreNamedOnce() {
    const Outcome o = program("race");
    QCOMPARE(o.exit, 1);
    QCOMPARE(o.err, QByteArray("after it: cudaSuccess\n"));
    int races = 0;
    for (const QJsonValue& f : findings(o)) races += f.toObject()["check"].toString() == "races" ? 1 : 0;
    QVERIFY2(races >= 1 && races <= 2, o.out);
    QCOMPARE(findings(o)[0].toObject()["kernel"].toString(), QString("race"));
    QVERIFY(report(o)["further_findings"].toInt() > 0);
    QCOMPARE(run({"--checks", "memory", CUDA_PROGRAM, ptx_, "none", "race"}).exit, 0);
  }

  void aFaultEndsTheDevicesWork() {
    const Outcome o = program("outside");
    QCOMPARE(o.exit, 1);
    QCOMPARE(o.err, QByteArray("after it: cudaErrorIllegalAddress\na copy: cudaErrorIllegalAddress\n"));
    QCOMPARE(findings(o).size(), 1);
    QCOMPARE(findings(o)[0].toObject()["kind"].toString(), QString("out of bounds"));
    QVERIFY(findings(o)[0].toObject()["ended"].toBool());
  }

  void wrongCallsAnswerAsHardwareDoes() {
    const Outcome o = program("misuse");
    QCOMPARE(o.err, QByteArray("too many threads: cudaErrorInvalidConfiguration\n"
                               "kept: cudaErrorInvalidConfiguration\n"
                               "kept until asked: cudaErrorInvalidConfiguration\n"
                               "then none: cudaSuccess\n"
                               "a copy beyond the end: cudaErrorInvalidValue\n"
                               "a copy to nowhere: cudaErrorInvalidValue\n"
                               "freed: cudaSuccess\n"
                               "freed twice: cudaErrorInvalidValue\n"
                               "no such symbol: cudaErrorInvalidSymbol\n"
                               "no such device: cudaErrorInvalidDevice\n"));
    QCOMPARE(o.exit, 1);  // the program's own exit code is 1
    QVERIFY(findings(o).isEmpty());
  }

  void whatIsNotExecutedIsNamed() {
    const Outcome graph = program("graph");
    QCOMPARE(graph.exit, 6);
    QCOMPARE(report(graph)["refused"].toArray().size(), 1);
    QCOMPARE(refused(graph), QString("cudaGraphCreate()"));
    QCOMPARE(graph.err, QByteArray("graph: cudaErrorNotSupported\n"));
    const Outcome missing = program("missing");
    QVERIFY2(missing.exit == 6 && refused(missing).startsWith("kernel missing: "), missing.out);
    const Outcome code = program("add", "machine code");
    QVERIFY2(code.exit == 6 && refused(code).contains("machine code alone"), code.out);
    const Outcome damaged = program("add", "damaged");
    QVERIFY2(damaged.exit == 6 && refused(damaged).contains("damaged"), damaged.out);
  }

  void aProgramThatEndsBadlyIsReported() {
    const Outcome o = program("abort");
    QCOMPARE(o.exit, 1);
    QCOMPARE(report(o)["signal"].toInt(), 6);
    QCOMPARE(report(o)["exit"].toInt(), -1);
    const Outcome seven = run({CUDA_PROGRAM, ptx_, "none", "nothing of these"});
    QVERIFY2(seven.exit == 1 && seven.err.contains("exit code 7"), seven.err);
  }

  void whatItStartsIsNotWaitedFor() {
    const Outcome o =
        run({"--json", "bash", "-c", "sleep 600 & echo $! && exec \"$0\" \"$@\"", CUDA_PROGRAM, ptx_, "none", "add"});
    ::kill(static_cast<pid_t>(o.err.left(o.err.indexOf('\n')).toInt()), SIGKILL);
    QVERIFY2(o.exit == 0 && o.err.contains("y[0] = 7"), o.out + o.err);
  }

  void otherProgramsAreToldApart() {
    const Outcome other = run({"true"});
    QVERIFY2(other.exit == 6 && other.err.contains("nvcc -cudart shared"), other.err);
    QCOMPARE(run({dir_.filePath("none")}).exit, 2);
    QCOMPARE(run({}).exit, 2);
    QCOMPARE(run({"--checks", "everything", "true"}).exit, 2);
  }
};

QTEST_GUILESS_MAIN(ProgramTest)
#include "program_test.moc"
