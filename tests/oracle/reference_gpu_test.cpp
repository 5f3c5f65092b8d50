// SPDX-License-Identifier: Apache-2.0
// On real hardware: the reference of every op against op::evaluate.
#include <QtTest>
#include <cmath>
#include "op/recurrence.h"
#include "oracle/ops.h"
#include "support/gpu.h"

using namespace ww;

class ReferenceGpuTest : public QObject, testing::WithGpu {
  Q_OBJECT
 private slots:
  void initTestCase() { (void)open_gpu(); }

  void small_data() { ops(); }
  void small() {
    QFETCH(QString, path);
    const op::Spec spec = testing::read_spec(*read_file(path.toStdString()));
    if (!op::recurrences_of(spec).empty()) {  // the host computes these
      QVERIFY(!made(spec, testing::small_binding(spec, 5e3), op::Distribution::normal));
      return;
    }
    for (const double work : {5e3, 1e6})
      for (const op::Distribution d : {op::Distribution::normal, op::Distribution::large}) {
        const auto set = made(spec, testing::small_binding(spec, work), d);
        QVERIFY(set);
        std::map<std::string, op::HostTensor> inputs;
        for (const op::Param& p : spec.inputs) {
          auto t = set->input(p.name);
          QVERIFY(t.has_value());
          inputs[p.name] = std::move(*t);
        }
        const auto expected = op::evaluate(spec, testing::small_binding(spec, work), inputs);
        QVERIFY(expected.has_value());
        for (const auto& [name, want] : *expected) {
          const auto got = set->reference(name);
          QVERIFY(got.has_value());
          QVERIFY(got->integer == want.integer);
          std::size_t loose = 0;
          for (std::size_t i = 0; i < want.value.size(); ++i) {
            const double a = want.value[i], b = got->value[i];
            const bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                              std::fabs(a - b) <= 1e-12 * std::fabs(a) + 1e-9 * want.bound[i];
            QVERIFY2(same, (spec.name + ": " + name + " element " + std::to_string(i)).c_str());
            const double x = want.bound[i], y = got->bound[i];
            loose += x != y && !(y >= 0.9 * x &&
                                 y <= 1.1 * x);  // as the gate asks; terms of a sum come in another order in tiles
          }
          QVERIFY2(loose == 0, (spec.name + ": " + std::to_string(loose) + " bounds differ").c_str());
        }
      }
  }

 private:
  void ops() { testing::add_library_rows(); }
  std::shared_ptr<const device::ResidentSet> made(const op::Spec& spec, const op::Binding& binding,
                                                  op::Distribution d) {
    device::SetRequest request;
    request.binding = binding;
    request.distribution = d;
    request.seed = 5;
    const auto set = device_->make_set(spec, request, *compiler_);
    if (!set) {
      qWarning("%s: %s", spec.name.c_str(), set.error().text().c_str());
      return nullptr;
    }
    return *set;
  }
};

QTEST_GUILESS_MAIN(ReferenceGpuTest)
#include "reference_gpu_test.moc"
