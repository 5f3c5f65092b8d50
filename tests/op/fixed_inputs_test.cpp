// SPDX-License-Identifier: Apache-2.0
// Inputs whose values a spec has itself.
#include <QtTest>
#include "op/fixed_inputs.h"
#include "op/gradient.h"
#include "op/parse.h"

using namespace ww;

namespace {

// 1, 2, 3 in f32.
const std::string weights = "AACAPwAAAEAAAEBA";

op::Spec spec_with(const std::string& lines) {
  const auto spec = op::parse_spec(lines +
                                   "op scaled(x: f32[R, 3], w: f32[3], v: f32[R]) -> y: f32[R, 3]\n  default R = 4\n"
                                   "{\n  y[r, i] = x[r, i] * w[i] + v[r]\n}\n");
  if (!spec) qFatal("%s", spec.error().text().c_str());
  return *spec;
}

}  // namespace

class FixedInputsTest : public QObject {
  Q_OBJECT
 private slots:
  void valuesAreRead() {
    const op::Spec spec = spec_with("//@ value: w " + weights + "\n");
    const auto fixed = op::fixed_inputs(spec);
    QVERIFY(fixed && fixed->size() == 1);
    const op::HostTensor& w = fixed->at("w");
    QCOMPARE(w.shape, std::vector<std::int64_t>{3});
    QCOMPARE(load_f64(w.dtype, &w.bytes[4]), 2.0);
    QVERIFY(op::has_fixed_value(spec, "w") && !op::has_fixed_value(spec, "x"));
    QVERIFY(op::fixed_inputs(spec_with(""))->empty());
    const auto again = op::fixed_inputs(*op::parse_spec(op::print(spec)));
    QVERIFY(again && again->contains("w"));
  }

  void badValuesAreRefused_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("says");
    const QString good = QString::fromStdString(weights);
    QTest::newRow("no input") << "u " + good << "names no input";
    QTest::newRow("an output") << "y " + good << "names no input";
    QTest::newRow("a shape that varies") << "v " + good << "shape varies";
    QTest::newRow("no value") << "w"
                              << "bytes of the input";
    QTest::newRow("too short") << "w AACAPw=="
                               << "bytes of the input";
    QTest::newRow("not base64") << "w !!!!"
                                << "not in base64";
    QTest::newRow("twice") << "w " + good + "\n//@ value: w " + good << "is there twice";
  }
  void badValuesAreRefused() {
    QFETCH(QString, line);
    QFETCH(QString, says);
    const auto fixed = op::fixed_inputs(spec_with("//@ value: " + line.toStdString() + "\n"));
    QVERIFY(!fixed && fixed.error().code == Code::invalid_argument);
    QVERIFY2(QString::fromStdString(fixed.error().message).contains(says), fixed.error().message.c_str());
  }

  // A constant has no gradient, but the others may need it.
  void gradientsKeepThem() {
    const op::Gradient gradient = op::gradient_of(spec_with("//@ value: w " + weights + "\n"));
    const auto* backward = std::get_if<op::Backward>(&gradient);
    QVERIFY(backward);
    QCOMPARE(backward->outgoing, (std::map<std::string, std::string>{{"x", "dx"}, {"v", "dv"}}));
    const auto fixed = op::fixed_inputs(backward->spec);
    QVERIFY(fixed && fixed->contains("w"));
    const op::Gradient of_v = op::gradient_of(spec_with("//@ value: w " + weights + "\n"), {"v"});
    QVERIFY(op::fixed_inputs(std::get<op::Backward>(of_v).spec)->empty());  // which does not read w
  }
};

QTEST_GUILESS_MAIN(FixedInputsTest)
#include "fixed_inputs_test.moc"
