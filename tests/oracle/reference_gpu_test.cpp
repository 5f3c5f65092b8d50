// SPDX-License-Identifier: Apache-2.0
// On real hardware: the reference of every op against op::evaluate.
#include <QtTest>
#include <cmath>
#include "base/sealed_folder.h"
#include "cuda/device.h"
#include "op/recurrence.h"
#include "oracle/ops.h"

using namespace ww;

class ReferenceGpuTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (cuda::device_count() == 0) {
      const auto none = cuda::open("cuda:0");
      QSKIP(("no GPU: " + (none ? std::string() : none.error().text())).c_str());
    }
    auto compiler = compile::Compiler::open(
        std::make_shared<ww::SealedFolder>(std::filesystem::path(WW_BINARY_DIR) / "compile-cache"));
    QVERIFY2(compiler, compiler ? "" : compiler.error().text().c_str());
    compiler_ = std::move(*compiler);
    auto device = cuda::open("cuda:0");
    QVERIFY2(device.has_value(), device ? "" : device.error().text().c_str());
    device_ = std::move(*device);
  }

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

  std::unique_ptr<compile::Compiler> compiler_;
  std::unique_ptr<device::Device> device_;
};

QTEST_GUILESS_MAIN(ReferenceGpuTest)
#include "reference_gpu_test.moc"
