// SPDX-License-Identifier: Apache-2.0
// Measuring candidates of a workspace, with a stand-in for a worker that has a GPU; and measurements as they are kept,
// by this version and by the one before.
#include <QFile>
#include <QtTest>
#include "base/described_json.h"
#include "candidate/candidate.h"
#include "generator/run_options.h"
#include "measure/baselines.h"
#include "measure/candidate_profile.h"
#include "measure/candidates.h"
#include "support/workspaces.h"

using namespace ww;
using profile::MeasurementKind;

namespace {

constexpr const char* spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 100000\n{\n  y[i] = 2 * x[i]\n}\n";

std::string kernel(const std::string& words) {
  return "//@ candidate scale\n//@ tune BLOCK = 128\n//@ launch k grid(ceildiv(N, BLOCK)) block(BLOCK) args(x, y, "
         "N)\n// " +
         words + "\nextern \"C\" __global__ void k(const float* x, float* y, int n) {}\n";
}

std::string fixture(const char* name) {
  QFile file(QStringLiteral(WW_SOURCE_DIR "/tests/widgets/fixtures/") + name);
  return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

}  // namespace

class MeasureTest : public QObject, support::WithWorkspace {
  Q_OBJECT
  std::int64_t candidate(const std::string& words) {
    const auto parsed = candidate::parse(kernel(words), candidate::Language::cuda).value();
    store::CandidateRecord c;
    c.run = run_;
    c.hash = parsed.hash;
    c.text = parsed.text;
    return workspace_->add_candidate(c).value();
  }
  measure::Request request(MeasurementKind kind, std::vector<std::int64_t> candidates) {
    measure::Request r;
    r.kind = kind;
    r.candidates = std::move(candidates);
    r.setup.rounds = 6;
    r.torch = false;
    return r;
  }
  std::vector<measure::KeptMeasurement> kept(std::int64_t id) {
    return measure::measurements_of(*workspace_, id).value();
  }

 private slots:
  void initTestCase() { qputenv("WARPWRIGHT_WORKER", STANDIN_WORKER); }
  void init() {
    renew();
    generator::RunOptions options;
    options.spec = spec;
    options.binding.symbols = {{"N", 4096}};
    store::RunRecord run;
    run.op = workspace_->add_op("scale", spec, "").value();
    run.generator = "manual";
    run.device = "cuda:0";
    run.options = generator::options_to_json(options);
    run_ = workspace_->add_run(run).value();
  }

  void oneIsTimedAtTheCaseOfItsRun() {
    const std::int64_t a = candidate("us=10");
    std::vector<double> fractions;
    const auto done = measure::measure(*workspace_, request(MeasurementKind::time, {a}), {},
                                       [&](const measure::Progress& p) { fractions.push_back(p.fraction); });
    QVERIFY2(done, done ? "" : done.error().text().c_str());
    QVERIFY(done->failed.empty());
    QCOMPARE(done->kept.size(), std::size_t{1});
    QCOMPARE(done->kept[0].candidate, a);
    QCOMPARE(done->kept[0].run, run_);
    QVERIFY(!fractions.empty());
    const auto all = kept(a);
    QCOMPARE(all.size(), std::size_t{1});
    const profile::Measurement& m = all[0].measurement;
    QVERIFY(m.kind == MeasurementKind::time && m.op == "scale" && m.binding.symbols.at("N") == 4096);
    QCOMPARE(all[0].record.gpu, std::string("Stand-in GPU"));
    const profile::MeasuredSubject* subject = profile::subject_of(m, workspace_->candidate(a)->hash);
    QVERIFY(subject && subject->verified);
    QCOMPARE(profile::timing_in(*subject, profile::Cache::warm)->samples.size(), std::size_t{30});
    QVERIFY(m.ceilings && m.device);
  }

  void severalAreTimedInTurn() {
    const std::int64_t a = candidate("us=10"), b = candidate("us=20"), c = candidate("us=40");
    const auto done = measure::measure(*workspace_, request(MeasurementKind::time, {a, b, c}));
    QVERIFY(done && done->kept.size() == 3 && done->failed.empty());
    for (const std::int64_t id : {a, b, c}) {
      const auto all = kept(id);
      QCOMPARE(all.size(), std::size_t{1});
      QVERIFY(all[0].measurement.kind == MeasurementKind::compare);
      QCOMPARE(all[0].measurement.subjects.size(), std::size_t{3});
    }
    const profile::Measurement m = kept(a)[0].measurement;
    const auto ratios = measure::ratios_of(m.subjects[0], m.subjects[2]);
    QCOMPARE(ratios.size(), std::size_t{2});
    QCOMPARE(ratios[0].ratio.call, profile::Call::faster);
    QVERIFY(qAbs(ratios[0].ratio.ratio - 0.25) < 0.01);
    QCOMPARE(ratios[0].ratio.rounds, 6);
  }

  // One that fails does not take the others with it; the one that is left alone is timed by itself.
  void aFailureStaysWithItsCandidate() {
    const std::int64_t a = candidate("us=10"), broken = candidate("fails"), c = candidate("us=40");
    auto done = measure::measure(*workspace_, request(MeasurementKind::time, {a, broken, c}));
    QVERIFY(done && done->kept.size() == 2);
    QCOMPARE(done->failed.size(), std::size_t{1});
    QCOMPARE(done->failed[0].candidate, broken);
    QVERIFY(done->failed[0].why.find("out of bounds") != std::string::npos);
    QVERIFY(kept(broken).empty());
    QCOMPARE(profile::timing_in(kept(c)[0].measurement.subjects[2], profile::Cache::cold)->samples.size(),
             std::size_t{30});
    done = measure::measure(*workspace_, request(MeasurementKind::time, {broken, c}));
    QVERIFY(done && done->kept.size() == 1 && done->failed.size() == 1);
    QVERIFY(kept(c)[0].measurement.kind == MeasurementKind::time);
    QCOMPARE(kept(c)[0].measurement.subjects.size(), std::size_t{1});
  }

  void countersAreReadOneAfterTheOther() {
    const std::int64_t a = candidate("us=10"), denied = candidate("denied us=20");
    const auto done = measure::measure(*workspace_, request(MeasurementKind::counters, {a, denied}));
    QVERIFY(done && done->kept.size() == 2);
    const profile::Measurement counted = kept(a)[0].measurement, instead = kept(denied)[0].measurement;
    QCOMPARE(counted.counters->kernels.size(), std::size_t{1});
    QVERIFY(counted.subjects[0].timings.empty());
    QVERIFY(instead.counters->kernels.empty() && !instead.counters->why_not.empty());
    QCOMPARE(instead.subjects[0].timings.size(), std::size_t{2});  // what can be known without counters
  }

  void aProfileIsOfOneCase() {
    const auto id = candidate("us=10");
    QVERIFY(measure::measure(*workspace_, request(MeasurementKind::time, {id})));
    measure::Stored stored = measure::stored_subject(*workspace_, workspace_->candidate(id).value()).value();
    stored.what.binding.symbols["N"] = 77;
    auto bench = measure::Bench::open({.rounds = 2}, false);
    QVERIFY(bench);
    const auto counted =
        measure::measure_one(*bench, stored.what, stored.subject, request(MeasurementKind::counters, {}));
    QVERIFY(counted && measure::keep_one(*workspace_, stored.what, stored.subject, counted->measurement, "here"));
    measure::ProfileReader reader;
    const auto at = [&](std::int64_t n) {
      op::Binding binding;
      binding.symbols["N"] = n;
      return reader.read_at(*workspace_, id, binding).value();
    };
    const auto there = at(77), elsewhere = at(5), of_run = at(4096);
    QVERIFY(there->counters && there->counters_case.empty() && !there->cold);
    QCOMPARE(there->case_name, std::string("N = 77"));
    QCOMPARE(there->launches.at(0).grid[0], std::int64_t{1});
    QVERIFY(!elsewhere->counters && !elsewhere->cold && !elsewhere->counters_why_not.empty());
    QVERIFY(of_run->cold && of_run->timings_case.empty() && !of_run->counters);
  }

  void baselinesAreTimedBesideTheCandidate() {
    const std::int64_t a = candidate("us=10");
    const auto done = measure::measure(*workspace_, request(MeasurementKind::baseline, {a}));
    QVERIFY2(done && done->kept.size() == 1, done ? "" : done.error().text().c_str());
    const profile::Measurement m = kept(a)[0].measurement;
    QCOMPARE(m.subjects[0].name, std::string("candidate"));
    QCOMPARE(m.subjects[0].hash, workspace_->candidate(a)->hash);
    QCOMPARE(m.subjects[1].name, std::string("naive"));
    QCOMPARE(measure::reference_of(m), &m.subjects[0]);
    QVERIFY(measure::ratios_of(m.subjects[0], m.subjects[1])[0].ratio.call == profile::Call::faster);
  }

  void cancelledMeansNothingIsKept() {
    const std::int64_t a = candidate("us=10");
    std::stop_source stop;
    const auto done = measure::measure(*workspace_, request(MeasurementKind::time, {a}), stop.get_token(),
                                       [&](const measure::Progress&) { stop.request_stop(); });
    QVERIFY(!done);
    QCOMPARE(done.error().code, Code::cancelled);
    QVERIFY(kept(a).empty());
  }

  void withoutAClockNothingIsMeasured() {
    const std::int64_t a = candidate("us=10");
    measure::Request r = request(MeasurementKind::time, {a});
    r.setup.device = "simt";
    const auto done = measure::measure(*workspace_, r);
    QVERIFY(!done && done.error().code == Code::unsupported);
    QVERIFY(done.error().message.find("needs a GPU") != std::string::npos);
    QVERIFY(measure::why_not_measurable("cuda:0").empty());
  }

  void whatIsKeptComesBack() {
    profile::Measurement m;
    m.kind = MeasurementKind::baseline;
    m.op = "scale";
    m.binding.symbols = {{"N", 7}};
    m.binding.constants = {{"eps", 0.5}};
    m.torch = "2.11";
    m.subjects = {{"candidate", "abc", "title", "BLOCK = 128", "", true, "a note", {{.subject = "candidate"}}},
                  {.name = "cublas", .why_not = "it is missing"}};
    m.counters = profile::CounterReport{.set = "small"};
    m.device.emplace().gpu = "G";
    const std::string text = profile::measurement_to_json(m);
    const profile::Measurement back = profile::measurement_from_json(MeasurementKind::baseline, text).value();
    QCOMPARE(profile::measurement_to_json(back), text);
    QVERIFY(back.subjects[1].why_not == "it is missing" && back.subjects[1].hash.empty() && !back.ceilings);
    QCOMPARE(back.binding.constants.at("eps"), 0.5);
    QVERIFY(!profile::measurement_from_json(MeasurementKind::baseline, "{}"));
    QVERIFY(!profile::measurement_from_json(MeasurementKind::time, "not JSON"));
    QVERIFY(!profile::measurement_from_json(MeasurementKind::time, R"({"format": 3})"));
    m.kind = MeasurementKind::unknown;  // no file has it
    QVERIFY(!profile::measurement_from_json(MeasurementKind::time, profile::measurement_to_json(m)));
  }

  // The version before kept the answers of the commands: measured on an H200.
  void olderMeasurementsAreRead() {
    const profile::Measurement compared =
        profile::measurement_from_json(MeasurementKind::compare, fixture("relu_h200_compare.json")).value();
    QCOMPARE(compared.op, std::string("relu"));
    QCOMPARE(compared.subjects.size(), std::size_t{2});
    for (const profile::MeasuredSubject& s : compared.subjects) {
      QVERIFY(!s.hash.empty() && s.why_not.empty());
      QVERIFY(profile::timing_in(s, profile::Cache::cold) && profile::timing_in(s, profile::Cache::warm));
    }
    QVERIFY(compared.device && compared.device->gpu == "NVIDIA H200");
    const profile::Measurement counted =
        profile::measurement_from_json(MeasurementKind::counters, fixture("relu_h200_counters.json")).value();
    QVERIFY(counted.counters && !counted.counters->kernels.empty() && counted.subjects.size() == 1);
    // Of baselines: who was not timed says why, the candidate is the first.
    nlohmann::ordered_json old = {
        {"case", {{"op", "scale"}, {"symbols", {{"N", 7}}}, {"constants", nlohmann::json::object()}}},
        {"candidate", {{"label", "a.cu"}, {"hash", "abc"}, {"title", ""}, {"tuning", ""}}},
        {"subjects",
         {{{"name", "candidate"}, {"why_not", ""}, {"verified", true}, {"note", ""}, {"timings", nullptr}},
          {{"name", "cublas"}, {"why_not", "it is missing"}, {"verified", false}, {"note", ""}, {"timings", nullptr}}}},
        {"torch", nullptr},
        {"raw",
         nlohmann::json::array({json::of(profile::SubjectTiming{.subject = "candidate", .samples = {{.us = 3}}})})}};
    const profile::Measurement baseline = profile::measurement_from_json(MeasurementKind::baseline, old.dump()).value();
    QCOMPARE(baseline.subjects.size(), std::size_t{2});
    QVERIFY(baseline.subjects[0].hash == "abc" && baseline.subjects[0].verified);
    QCOMPARE(profile::timing_in(baseline.subjects[0], profile::Cache::cold)->samples[0].us, 3.0);
    QCOMPARE(baseline.subjects[1].why_not, std::string("it is missing"));
  }
};

QTEST_GUILESS_MAIN(MeasureTest)
#include "measure_test.moc"
