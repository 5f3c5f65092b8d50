// SPDX-License-Identifier: Apache-2.0
// Every op of the library at its default size, all on the device: inputs, f64 reference (held against the host's
// evaluator first), the naive kernel's outputs on every distribution, the comparison. Prints a line for each.
#include <QtTest>
#include <chrono>
#include "base/files.h"
#include "gate/compare.h"
#include "gate/resident.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "op/recurrence.h"
#include "oracle/oracle.h"
#include "support/gpu.h"

using namespace ww;

namespace {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

class DeviceLibraryTest : public QObject, testing::WithGpu {
  Q_OBJECT

  std::unique_ptr<gate::ResidentCache> cache_;
  std::unique_ptr<gate::ReferenceCache> host_ = std::make_unique<gate::ReferenceCache>();

  // The naive candidate on the set; empty, or what is wrong.
  std::string naive(const op::Spec& spec, const device::ResidentSet& set, double* launches, double* ratio,
                    std::int64_t* unchecked) {
    const auto text = oracle::naive_candidate(spec);
    if (!text) return text.error().text();
    const auto candidate = candidate::parse(*text, candidate::Language::cuda);
    if (!candidate) return candidate.error().text();
    compile::Request request;
    request.code = *text;
    request.architecture = device_->facts().architecture;
    const auto output = compiler_->compile(request);
    if (!output) return output.error().text();
    const auto module = device_->load(*output);
    if (!module) return module.error().text();
    const auto plan = candidate::plan(*candidate, spec, {}, candidate::first_tuning(*candidate));
    if (!plan) return plan.error().text();
    auto execution = (*module)->execution();
    if (!execution) return execution.error().text();
    device::Execution& e = **execution;
    for (const op::Param& p : spec.inputs) {
      if (Status s = e.allocate(p.name, p.dtype, op::element_count(set.shapes().at(p.name)), device::Access::read_only);
          !s)
        return s.error().text();
      if (Status s = e.fill(p.name, set); !s) return s.error().text();
    }
    for (const op::Param& p : spec.outputs) {
      if (Status s =
              e.allocate(p.name, p.dtype, op::element_count(set.shapes().at(p.name)), device::Access::read_write);
          !s)
        return s.error().text();
      const bool zeroed =
          std::find(plan->zeroed_outputs.begin(), plan->zeroed_outputs.end(), p.name) != plan->zeroed_outputs.end();
      if (Status s = zeroed ? e.zero(p.name) : e.poison(p.name, 0xff); !s) return s.error().text();
    }
    for (const candidate::PlannedTensor& t : plan->temps) {
      if (Status s = e.allocate(t.name, t.dtype, t.count, device::Access::read_write); !s) return s.error().text();
      if (Status s = t.zeroed ? e.zero(t.name) : e.poison(t.name, 0xff); !s) return s.error().text();
    }
    for (const candidate::PlannedLaunch& l : plan->launches) {
      device::LaunchOptions options;
      options.seconds = 30;
      const auto done = e.launch(l, options);
      if (!done) return done.error().text();
      if (done->fault) return done->fault->message;
      *launches += done->seconds;
    }
    const auto guards = e.check_guards();
    if (!guards || *guards) return guards ? (*guards)->message : guards.error().text();
    for (const op::Param& p : spec.inputs)
      if (!e.holds_set(p.name, set).value_or(false)) return "the input " + p.name + " was changed";
    for (const op::Param& p : spec.outputs) {
      const auto judged = e.compare_set(p.name, set);
      if (!judged) return judged.error().text();
      if (judged->wrong > 0) {
        char line[200];
        std::snprintf(line, sizeof line, "%s: %lld of %lld wrong, the worst, %lld, is %.9g and should be %.9g ± %.3g",
                      p.name.c_str(), static_cast<long long>(judged->wrong), static_cast<long long>(judged->total),
                      static_cast<long long>(judged->worst), judged->actual, judged->expected, judged->bound);
        return line;
      }
      *ratio = std::max(*ratio, judged->largest_ratio);
      *unchecked += judged->unchecked;
    }
    return {};
  }

 private slots:
  void initTestCase() {
    if (!open_gpu()) return;
    cache_ = std::make_unique<gate::ResidentCache>(*device_, *compiler_);
  }
  void ops_data() {
    QTest::addColumn<QString>("text");
    const auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY2(library, library ? "" : library.error().text().c_str());
    for (const op::LibraryOp& o : library->ops())
      QTest::newRow(o.spec.name.c_str()) << QString::fromStdString(o.spec.text);
  }
  void ops() {
    QFETCH(QString, text);
    const auto spec = op::parse_spec(text.toStdString());
    QVERIFY2(spec, spec ? "" : spec.error().text().c_str());
    double at = now();
    const auto lap = [&] {
      const double t = now() - at;
      at = now();
      return t * 1e3;
    };
    const gate::InputSet which{{}, op::Distribution::normal, 3};
    const auto set = cache_->get(*spec, which, *host_, 0, {});
    QVERIFY2(device_->usable(), set ? "" : set.error().text().c_str());
    if (!set && set.error().code == Code::unsupported) {
      // A recurrence, or the device's reference disagrees with the evaluator: the host's is used instead.
      const bool known = spec->name == "matmul_4d" || spec->name == "std" || spec->name == "var";
      QVERIFY2(known || !op::recurrences_of(*spec).empty(), set.error().text().c_str());
      return;
    }
    QVERIFY2(set, set ? "" : set.error().text().c_str());
    const double first = lap();
    device::SetRequest again;
    again.seed = 4;
    QVERIFY(device_->make_set(*spec, again, *compiler_));
    const double second = lap();
    double launches = 0, ratio = 0;
    std::int64_t unchecked = 0;
    const std::string wrong = naive(*spec, **set, &launches, &ratio, &unchecked);
    qInfo(
        "set %.0f MiB: first %.1f ms, then %.2f ms; naive kernels %.2f ms, largest error over bound %.3f, %lld "
        "unchecked",
        static_cast<double>((*set)->bytes()) / (1 << 20), first, second, launches * 1e3, ratio,
        static_cast<long long>(unchecked));
    QVERIFY2(wrong.empty(), wrong.c_str());
    // What a person writes first is right on every distribution: a reference that is too strict, or a bound that is,
    // would show here.
    for (int d = 1; d <= static_cast<int>(op::Distribution::zeros); ++d) {
      again.distribution = static_cast<op::Distribution>(d);
      const auto other = device_->make_set(*spec, again, *compiler_);
      QVERIFY2(other, other ? "" : other.error().text().c_str());
      const std::string why = naive(*spec, **other, &launches, &ratio, &unchecked);
      QVERIFY2(why.empty(), (std::string(op::distribution_name(again.distribution)) + ": " + why).c_str());
    }
  }
};

QTEST_GUILESS_MAIN(DeviceLibraryTest)
#include "device_library_test.moc"
