// SPDX-License-Identifier: Apache-2.0
// The table of what driver errors mean; no driver and no GPU is needed.
#include <QtTest>
#include <cuda.h>
#include <set>
#include "cuda/faults.h"

using namespace ww::cuda;

class FaultsTest : public QObject {
  Q_OBJECT
 private slots:
  void success_is_no_fault() {
    const FaultClass none = classify(CUDA_SUCCESS);
    QVERIFY(none.kind == ww::FaultKind::unknown && none.sentence.empty() && !none.sticky);
  }
  void kinds_and_stickiness_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<bool>("sticky");
    const auto row = [](CUresult code, const char* kind, bool sticky) {
      QTest::addRow("%d", code) << static_cast<int>(code) << QString(kind) << sticky;
    };
    row(CUDA_ERROR_ILLEGAL_ADDRESS, "out of bounds", true);
    row(CUDA_ERROR_INVALID_ADDRESS_SPACE, "out of bounds", true);
    row(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned", true);
    row(CUDA_ERROR_HARDWARE_STACK_ERROR, "stack overflow", true);
    row(CUDA_ERROR_ASSERT, "assertion", true);
    row(CUDA_ERROR_LAUNCH_FAILED, "trap", true);
    row(CUDA_ERROR_ILLEGAL_INSTRUCTION, "invalid instruction", true);
    row(CUDA_ERROR_INVALID_PC, "invalid instruction", true);
    row(CUDA_ERROR_LAUNCH_TIMEOUT, "out of budget", true);
    row(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "launch refused", false);
    row(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "launch refused", false);
    row(CUDA_ERROR_INVALID_CLUSTER_SIZE, "launch refused", false);
    row(CUDA_ERROR_INVALID_VALUE, "launch refused", false);
    row(CUDA_ERROR_OUT_OF_MEMORY, "out of memory", false);
    row(CUDA_ERROR_ECC_UNCORRECTABLE, "device lost", true);
    row(CUDA_ERROR_DEVICE_UNAVAILABLE, "device lost", true);
    row(CUDA_ERROR_CONTEXT_IS_DESTROYED, "device lost", true);
    row(CUDA_ERROR_UNKNOWN, "device error", true);
  }
  void kinds_and_stickiness() {
    QFETCH(int, code);
    QFETCH(QString, kind);
    QFETCH(bool, sticky);
    const FaultClass c = classify(static_cast<CUresult>(code));
    QCOMPARE(QString::fromStdString(ww::enum_string(c.kind)), kind);
    QCOMPARE(c.sticky, sticky);
    QVERIFY(c.sentence.size() > 10 && c.sentence.back() != '.');
  }
  void every_number_has_a_kind_and_a_sentence() {
    std::set<std::string> sentences;
    for (int code = 1; code <= 1100; ++code) {
      const FaultClass c = classify(static_cast<CUresult>(code));
      QVERIFY2(c.kind != ww::FaultKind::unknown && !c.sentence.empty(), std::to_string(code).c_str());
      QVERIFY2(sentences.insert(c.sentence).second, c.sentence.c_str());  // each says something of its own
    }
    QVERIFY(classify(static_cast<CUresult>(1050)).sentence.find("1050") != std::string::npos);
    QVERIFY(classify(static_cast<CUresult>(1050)).sticky);
  }
};

QTEST_APPLESS_MAIN(FaultsTest)
#include "faults_test.moc"
