// SPDX-License-Identifier: Apache-2.0
// The naive candidate of every op, through the gate on the SIMT machine.
#include <QtTest>
#include "device/device.h"
#include "gate/cases.h"
#include "gate/gate.h"
#include "op/transform.h"
#include "oracle/oracle.h"
#include "oracle/ops.h"
#include "support/simt_judge.h"

using namespace ww;

class NaiveTest : public QObject, testing::WithSimtGate {
  Q_OBJECT
 private slots:
  void library_data() {
    QTest::addColumn<QString>("path");
    // Every third op, for the time it takes; each family has some. All with WARPWRIGHT_EVERY_OP set.
    int n = 0;
    for (const auto& path : testing::library())
      if (n++ % 3 == 0 || qEnvironmentVariableIsSet("WARPWRIGHT_EVERY_OP"))
        QTest::newRow(path.stem().c_str()) << QString::fromStdString(path.string());
  }
  void library() {
    QFETCH(QString, path);
    judge(testing::read_spec(*read_file(path.toStdString())));
  }

  void unusual_data() {
    // Where integers hang on the last bit of a real, or wrap around before they are read again, the gate asks for the
    // reference's own.
    testing::add_unusual_rows("oracle", {"uncertain steps", "integers that are read again"});
  }
  void unusual() {
    QFETCH(QString, text);
    judge(testing::read_spec(text.toStdString()));
  }

  void half_precision() {
    for (const char* name : {"softmax", "linear_gelu", "cumsum"})
      for (const DType d : {DType::f16, DType::bf16}) {
        const auto spec = op::with_dtype(testing::library_op(name), d);
        QVERIFY(spec.has_value());
        judge(*spec);
      }
  }

 private:
  void judge(const op::Spec& spec) {
    const auto reduced = gate::reduced_case(spec, {}, 5e3);
    QVERIFY2(reduced.has_value(), reduced ? "" : reduced.error().text().c_str());
    const auto text = oracle::naive_candidate(spec);
    QVERIFY2(text.has_value(), text ? "" : text.error().text().c_str());
    gate::Request request;
    request.spec = op::print(spec);
    request.candidate = *text;
    request.binding = reduced->binding;
    request.seeds = 2;
    // The same in every run. With WARPWRIGHT_SECRET=fresh drawn anew, or 16 hexadecimal digits: a judgement to repeat.
    const QString secret = qEnvironmentVariable("WARPWRIGHT_SECRET", "5eed5eed5eed5eed");
    if (secret != "fresh") request.secret = secret.toStdString();
    request.measure = false;
    const evidence::Verdict verdict = verdict_of(request);
    QVERIFY2(verdict.accepted, (spec.name + ", secret " + verdict.proof.secret + ": " + told(verdict, *text)).c_str());
    QVERIFY(text->find("//@ require") == std::string::npos);
  }
};

QTEST_GUILESS_MAIN(NaiveTest)
#include "naive_test.moc"
