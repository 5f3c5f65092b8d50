// SPDX-License-Identifier: Apache-2.0
// On real hardware: the reference of every op against op::evaluate, and the naive candidate against the reference at sizes that the evaluator
// would be long at.
#include <QtTest>
#include <cmath>
#include "cuda/device.h"
#include "op/transform.h"
#include "oracle/oracle.h"
#include "oracle/ops.h"

using namespace ww;

class ReferenceGpuTest : public QObject {
  Q_OBJECT
 private slots:
  void initTestCase() {
    if (cuda::device_count() == 0) {
      const auto none = cuda::open("cuda:0");
      QSKIP(("skipped: no CUDA device: " + (none ? std::string() : none.error().text())).c_str());
    }
    auto compiler = compile::Compiler::open(std::filesystem::path(WW_BINARY_DIR) / "compile-cache");
    if (!compiler) QSKIP(compiler.error().text().c_str());
    compiler_ = std::move(*compiler);
    auto device = cuda::open("cuda:0");
    QVERIFY2(device.has_value(), device ? "" : device.error().text().c_str());
    device_ = std::move(*device);
  }

  void small_data() { ops(); }
  void small() {
    QFETCH(QString, path);
    const op::Spec spec = testing::read_spec(*read_file(path.toStdString()));
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
            const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= 1e-12 * std::fabs(a) + 1e-9 * want.bound[i];
            QVERIFY2(same, (spec.name + ": " + name + " element " + std::to_string(i)).c_str());
            const double x = want.bound[i], y = got->bound[i];
            loose += x != y && !(y >= 0.95 * x && y <= 1.05 * x);
          }
          // Sums cut into stretches estimate what a sequential sum loses.
          QVERIFY2(loose <= 1 + want.value.size() / 1000, (spec.name + ": " + std::to_string(loose) + " bounds differ").c_str());
        }
      }
  }

  void naive_data() { ops(); }
  void naive() {
    QFETCH(QString, path);
    const op::Spec spec = testing::read_spec(*read_file(path.toStdString()));
    const op::Binding binding = testing::small_binding(spec, 2e8);
    const auto set = made(spec, binding, op::Distribution::normal);
    QVERIFY(set);
    const auto text = oracle::naive_candidate(spec);
    QVERIFY(text.has_value());
    const auto candidate = candidate::parse(*text, candidate::Language::cuda);
    QVERIFY(candidate.has_value());
    const auto plan = candidate::plan(*candidate, spec, binding, {});
    QVERIFY2(plan.has_value(), plan ? "" : plan.error().text().c_str());
    compile::Request request;
    request.code = *text;
    request.architecture = device_->facts().architecture;
    const auto compiled = compiler_->compile(request);
    QVERIFY2(compiled.has_value(), compiled ? "" : compiled.error().text().c_str());
    const auto module = device_->load(*compiled);
    QVERIFY2(module.has_value(), module ? "" : module.error().text().c_str());
    const auto execution = (*module)->execution();
    QVERIFY(execution.has_value());
    device::Execution& e = **execution;
    const auto allocate = [&](const op::Param& p, device::Access access) { return e.allocate(p.name, p.dtype, op::element_count(set->shapes().at(p.name)), access).has_value(); };
    for (const op::Param& p : spec.inputs) QVERIFY(allocate(p, device::Access::read_only) && e.fill(p.name, *set).has_value());
    for (const op::Param& p : spec.outputs) QVERIFY(allocate(p, device::Access::read_write));
    for (const candidate::PlannedTensor& t : plan->temps) QVERIFY(e.allocate(t.name, t.dtype, t.count, device::Access::read_write).has_value());
    for (const candidate::PlannedLaunch& l : plan->launches) {
      const auto done = e.launch(l, {});
      QVERIFY2(done.has_value() && !done->fault, done ? done->fault->message.c_str() : done.error().text().c_str());
    }
    for (const op::Param& p : spec.outputs) {
      const auto compared = e.compare_set(p.name, *set);
      QVERIFY2(compared.has_value(), compared ? "" : compared.error().text().c_str());
      QCOMPARE(compared->wrong, std::int64_t{0});
      QVERIFY(compared->unchecked * 100 <= compared->total);
    }
  }

 private:
  void ops() {
    QTest::addColumn<QString>("path");
    for (const auto& path : testing::library()) QTest::newRow(path.stem().c_str()) << QString::fromStdString(path.string());
  }
  std::shared_ptr<const device::ResidentSet> made(const op::Spec& spec, const op::Binding& binding, op::Distribution d) {
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
