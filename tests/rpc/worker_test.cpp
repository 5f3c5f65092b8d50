// SPDX-License-Identifier: Apache-2.0
// The real worker, end to end. Needs NVRTC (no GPU); without it these tests are skipped.
#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include "rpc/supervisor.h"
#include "rpc/worker_report.h"

using namespace ww;
using namespace ww::rpc;
using namespace std::chrono_literals;

namespace {

const char* scale_spec = R"(op scale(x: f32[N]; a = 2.5) -> y: f32[N]
  default N = 4096
{
  y[i] = a * x[i]
}
)";

std::string scale(const std::string& body, const std::string& more = "") {
  return "//@ candidate scale\n//@ tune BLOCK = 128\n" + more +
         "//@ launch scale grid(ceildiv(N, BLOCK)) block(BLOCK) args(x, y, N, a)\n" +
         "extern \"C\" __global__ void scale(const float* x, float* y, int n, float a) {\n  int i = blockIdx.x * BLOCK "
         "+ threadIdx.x;\n" +
         body + "\n}\n";
}

}  // namespace

class WorkerTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  WorkerOptions options() const {
    WorkerOptions o;
    o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/warpwright-worker";
    o.compile_cache = folder_.path().toStdString() + "/cache";
    return o;
  }
  static GateRequest request(const std::string& candidate) {
    GateRequest r;
    r.spec = scale_spec;
    r.candidate = candidate;
    return r;
  }
  static const evidence::StageResult* failed(const evidence::Verdict& v) { return v.last_stage(); }

 private slots:
  void initTestCase() {
    QVERIFY(folder_.isValid());
    Supervisor s(options());
    const auto facts = s.describe();
    QVERIFY2(facts.has_value(), facts ? "" : facts.error().text().c_str());
    QVERIFY(s.process_id() > 0);
    const auto& all = facts->protections;
    QVERIFY(std::any_of(all.begin(), all.end(), [](const Protection& p) { return p.name == "seccomp"; }));
    QCOMPARE(facts->devices.at(0).name, std::string("simt"));
    QCOMPARE(facts->compiler.error, std::string());
    QCOMPARE(json_of(*worker_report(json_of(*facts))), json_of(*facts));
    qInfo("%s", protections_text(all).c_str());
  }
  void cleanup() {
    int status = 0;
    QCOMPARE(::waitpid(-1, &status, WNOHANG), -1);
    QCOMPARE(errno, ECHILD);
  }
  void rightCandidateIsAccepted() {
    Supervisor s(options());
    std::vector<Progress> seen;
    const auto v =
        s.gate(request(scale("  if (i < n) y[i] = a * x[i];")), {}, [&](const Progress& p) { seen.push_back(p); });
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY2(v->accepted, v->summary().c_str());
    QVERIFY(v->metrics.has_value());
    QVERIFY(!v->ptx.empty());
    QVERIFY(seen.size() > 10);
    for (std::size_t i = 1; i < seen.size(); ++i) QVERIFY(seen[i].fraction >= seen[i - 1].fraction);
    qInfo("%s", v->summary().c_str());
  }
  void wrongElementsAreMappedByTheSameJudgement() {
    Supervisor s(options());
    GateRequest r = request(scale("  if (i < n) y[i] = i % 32 == 31 ? 0 : a * x[i];"));
    const auto bad = s.gate(r);
    QVERIFY(bad && !bad->accepted);
    const evidence::Failure& failure = *failed(*bad)->failure;
    r.secret = bad->proof.secret;
    const auto map = s.show_wrong(r);
    QVERIFY2(map.has_value(), map ? "" : map.error().text().c_str());
    QCOMPARE(map->failure.case_name, failure.case_name);
    QCOMPARE(map->failure.seed, failure.seed);
    QCOMPARE(map->failure.element->index, failure.element->index);
    QCOMPARE(map->failure.element->actual, failure.element->actual);
    QVERIFY(evidence::failure_to_map(*bad));
    QCOMPARE(map->maps.at(0).wrong, failure.element->wrong);
    QVERIFY2(evidence::wrong_shape_text(*map).find("element 31") != std::string::npos ||
                 map->wrong_elements.pattern == evidence::WrongPattern::single,
             evidence::wrong_shape_text(*map).c_str());
    QVERIFY(map->writer);  // the statement, and the element's own thread
    QCOMPARE(map->writer->kernel, std::string("scale"));
    QCOMPARE(map->writer->line, static_cast<int>(std::count(r.candidate.begin(), r.candidate.end(), '\n')) - 1);
    QCOMPARE(map->writer->block[0] * 128 + map->writer->thread[0],
             static_cast<std::uint32_t>(failure.element->index[0]));
    GateRequest unwritten = request(scale("  if (i % 32 != 31 && i < n) y[i] = a * x[i];"));
    const auto gap = s.gate(unwritten);
    QVERIFY(gap && !gap->accepted);
    unwritten.secret = gap->proof.secret;
    const auto empty = s.show_wrong(unwritten);
    QVERIFY2(empty && !empty->writer, "no thread wrote it");
    GateRequest right = request(scale("  if (i < n) y[i] = a * x[i];"));
    right.secret = r.secret;
    const auto none = s.show_wrong(right);
    QVERIFY(!none);
    QCOMPARE(none.error().code, Code::not_found);
    QCOMPARE(s.started(), 1);
  }
  void careLosesDigitsThatStrictPrecisionKeeps() {
    Supervisor s(options());
    GateRequest r = request({});
    r.spec = "op f(x: f32[N] in -0.5..0.5) -> y: f32[N]\n  default N = 4096\n{\n  y[i] = log1p(x[i])\n}\n";
    r.candidate =
        "//@ candidate f\n//@ launch k grid(ceildiv(N, 128)) block(128) args(x, y, N)\n"
        "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n"
        "  const int i = blockIdx.x * 128 + threadIdx.x;\n  if (i < n) y[i] = logf(1 + x[i]);\n}\n";
    const auto usual = s.gate(r);
    QVERIFY2(usual && usual->accepted, usual ? usual->summary().c_str() : usual.error().text().c_str());
    QCOMPARE(usual->proof.precision, op::Precision::usual);
    QCOMPARE(usual->proof.losses.size(), std::size_t{1});
    QVERIFY(usual->proof.losses[0].tensor == "y" && usual->proof.losses[0].ulps > 16);
    r.precision = op::Precision::strict;
    const auto strict = s.gate(r);
    QVERIFY(strict && !strict->accepted && strict->proof.precision == op::Precision::strict);
    QVERIFY(failed(*strict)->failure->element.has_value());
    r.candidate.replace(r.candidate.find("logf(1 + x[i])"), 14, "log1pf(x[i])");
    const auto kept = s.gate(r);
    QVERIFY2(kept && kept->accepted && kept->proof.losses.empty(), kept ? kept->summary().c_str() : "");
  }
  void oneCaseIsRunAlone() {
    Supervisor s(options());
    ReproduceRequest r{request(scale("  if (i < n) y[i] = i == 5 ? 0 : a * x[i];")), {}};
    r.judgement.secret = "0123456789abcdef";
    r.one = {{{{"N", 6}}, {}}, op::Distribution::normal, 42};
    const auto shown = s.reproduce(r);
    QVERIFY2(shown.has_value(), shown ? "" : shown.error().text().c_str());
    QVERIFY(shown->failure && shown->failure->element);
    QCOMPARE(shown->failure->element->index, std::vector<std::int64_t>{5});
    QCOMPARE(s.reproduce(r)->failure->element->actual, shown->failure->element->actual);
    r.one.binding.symbols["N"] = 5;
    const auto right = s.reproduce(r);
    QVERIFY(right && right->message.empty() && !right->failure);
    // What is kept from call to call shows, too.
    r.judgement.candidate = scale(
        "  static __device__ int n_calls; if (i < n) y[i] = n_calls > 0 ? 0 : a * x[i];"
        " if (i == 0) n_calls = 1;");
    const auto stateful = s.reproduce(r);
    QVERIFY2(stateful && stateful->failure, stateful ? stateful->message.c_str() : stateful.error().text().c_str());
    r.judgement.candidate = scale("  if (i < n) y[i] = a * z[i];");
    QCOMPARE(s.reproduce(r).error().code, Code::compile);
  }
  void wrongCandidateIsRejectedAndTheWorkerLives() {
    Supervisor s(options());
    const auto bad = s.gate(request(scale("  if (i < n) y[i] = a + x[i];")));
    QVERIFY(bad.has_value());
    QVERIFY(!bad->accepted);
    QVERIFY(failed(*bad)->failure->element.has_value());
    const auto broken = s.gate(request(scale("  if (i < n) y[i] = a * z[i];")));
    QCOMPARE(failed(*broken)->stage, evidence::Stage::compile);
    QVERIFY(s.gate(request(scale("  if (i < n) y[i] = a * x[i];")))->accepted);
    QCOMPARE(s.started(), 1);
  }
  void theLimitsOfTheArchitectureAreKnownBehindTheSandbox() {
    Supervisor s(options());
    std::string text = scale("  if (i < n) y[i] = a * x[i];");
    text.replace(text.find("block(BLOCK)"), 12, "block(BLOCK) shared(200000)");
    const auto v = s.gate(request(text), {}, {});
    QVERIFY2(v.has_value(), v ? "" : v.error().text().c_str());
    QVERIFY(!v->accepted);
    QVERIFY2(v->summary().find("166912") != std::string::npos, v->summary().c_str());
  }
  void badSpecIsAnError() {
    Supervisor s(options());
    GateRequest r = request(scale(""));
    r.spec = "op scale(";
    QCOMPARE(s.gate(r).error().code, Code::parse);
    r = request(scale(""));
    r.device = "cuda:7";
    QCOMPARE(s.gate(r).error().code, Code::unavailable);
  }
  void protectionsAreSummedUp() {
    std::vector<Protection> all = {{"seccomp", true, "other system calls", "", false},
                                   {"landlock", true, "other files", "", false},
                                   {"user_namespace", true, "an administrator's rights", "", false}};
    QCOMPARE(protections_text(all), std::string("All 3 protections of the sandbox are on."));
    all[2].active = false;
    QCOMPARE(protections_text(all), std::string("1 of 3 protections of the sandbox is missing: user_namespace. "
                                                "Generated code that compromises its worker is not kept from: an "
                                                "administrator's rights."));
    all[1].active = false;
    all[1].given_up = true;
    const std::string both = protections_text(all);
    QVERIFY2(both.starts_with("1 of 3") && both.ends_with("A GPU's driver cannot work behind: landlock."),
             both.c_str());
    all[2].active = true;
    QVERIFY(protections_text(all).starts_with("2 of 3 protections of the sandbox are on. A GPU's driver"));
    QVERIFY(protections_text({}).find("no protections") != std::string::npos);
  }
  void reportsOfEarlierVersionsAreRead() {
    std::string text =
        "{'version': 1, 'worker': {'profile': 'cuda', 'protections': {'seccomp': {'active': true, 'effect': 'e', "
        "'detail': '', 'given_up': false}}}, 'compiler': {'version': '13.0'}, 'devices': [{'name': 'cuda:0', "
        "'description': 'NVIDIA H200, 132 multiprocessors', 'provenance': 'measured'}]}";
    std::replace(text.begin(), text.end(), '\'', '"');
    const auto old = worker_report(text);
    QVERIFY(old.has_value());
    QCOMPARE(old->profile, WorkerProfile::cuda);
    QCOMPARE(old->compiler.name(), std::string("NVRTC 13.0"));
    QCOMPARE(old->devices.at(0).gpu, std::string("NVIDIA H200"));
    QVERIFY(old->protections.size() == 1 && old->protections[0].name == "seccomp" && old->protections[0].active);
    QVERIFY(!old->counters);
    QVERIFY(worker_report("{}").has_value() && worker_report("{}")->compiler.name().empty());
    for (const char* broken : {"", "[]", "not JSON", "{\"devices\": 3}", "{\"version\": \"one\"}"})
      QVERIFY2(!worker_report(broken), broken);
  }
  void aSandboxCanBeRequired() {
    WorkerOptions o = options();
    o.require_sandbox = true;
    {
      const auto sandbox = Supervisor(o).describe().value_or(WorkerReport{}).protections;
      if (!missing_text(sandbox).empty()) QSKIP("not on this kernel: it lacks a protection");
      QVERIFY(sandbox.size() >= 10);
    }
    qputenv("WARPWRIGHT_SANDBOX", "off");
    const auto refused = Supervisor(o).describe();
    o.require_sandbox = false;
    const auto weak = Supervisor(o).describe();
    qunsetenv("WARPWRIGHT_SANDBOX");
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, Code::unavailable);
    QVERIFY(refused.error().cause.find("seccomp (switched off") != std::string::npos);
    QVERIFY(weak.has_value());
    QVERIFY(missing_text(weak->protections).find("landlock") != std::string::npos);
    for (const Protection& p : weak->protections) QVERIFY2(!p.effect.empty(), p.name.c_str());
  }
  void killedWhileCompiling() {
    Supervisor s(options());
    bool killed = false;
    const auto v = s.gate(request(scale("  if (i < n) y[i] = a * x[i]; // killed")), {}, [&](const Progress& p) {
      if (p.stage == "compile" && !std::exchange(killed, true)) ::kill(s.process_id(), SIGKILL);
    });
    QVERIFY(v.has_value() && killed);
    QVERIFY(v->accepted);
    QCOMPARE(s.started(), 2);
  }
  void killedWhileRunning() {
    Supervisor s(options());
    const auto v = s.gate(request(scale("  if (i < n) y[i] = a * x[i];")), {}, [&](const Progress& p) {
      if (p.stage == "cases") ::kill(s.process_id(), SIGKILL);
    });
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    QCOMPARE(v->last_fault(), FaultKind::killed);
    QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
    QVERIFY(s.gate(request(scale("  if (i < n) y[i] = a * x[i];")))->accepted);
  }
  void aWorkerForGpusSaysWhatThereIs() {
    WorkerOptions o = options();
    o.profile = WorkerProfile::cuda;
    o.baselines = true;
    Supervisor s(o);
    const auto facts = s.describe();
    QVERIFY2(facts.has_value(), facts ? "" : facts.error().text().c_str());
    QCOMPARE(facts->profile, WorkerProfile::cuda);
    QVERIFY(facts->baselines.has_value());
    if (facts->devices.size() == 1) {  // no GPU here
      QVERIFY(!facts->devices_error.empty());
      TimeRequest t;
      t.spec = scale_spec;
      t.subjects = {{"naive", "", candidate::Language::cuda, "naive"}};
      QCOMPARE(s.time(t).error().code, Code::unavailable);
      QCOMPARE(s.device({}).error().code, Code::unavailable);
    } else {
      QCOMPARE(facts->devices[1].name, std::string("cuda:0"));
    }
    QVERIFY(s.gate(request(scale("  if (i < n) y[i] = a * x[i];")))->accepted);  // the SIMT machine is there, too
    QCOMPARE(s.started(), 1);
  }
  void theSimtMachineIsNotTimed() {
    Supervisor s(options());
    TimeRequest t;
    t.spec = scale_spec;
    t.device = "simt";
    t.subjects = {{"naive", "", candidate::Language::cuda, "naive"}};
    QCOMPARE(s.time(t).error().code, Code::unsupported);
    QCOMPARE(s.started(), 1);
  }
  void endlessKernelIsStopped() {
    Supervisor s(options());
    const auto v = s.gate(request(scale("  volatile int k = 1; while (k) {} if (i < n) y[i] = a * x[i];")));
    QVERIFY(v.has_value());
    QCOMPARE(failed(*v)->stage, evidence::Stage::smoke);
    QCOMPARE(failed(*v)->failure->fault->kind, FaultKind::budget_exceeded);
    QCOMPARE(s.started(), 1);
  }
  void cancelledInMidRun() {
    Supervisor s(options());
    std::stop_source source;
    const auto v = s.gate(request(scale("  if (i < n) y[i] = a * x[i];")), source.get_token(), [&](const Progress& p) {
      if (p.stage == "cases") source.request_stop();
    });
    QCOMPARE(v.error().code, Code::cancelled);
    QVERIFY(s.gate(request(scale("  if (i < n) y[i] = a * x[i];")))->accepted);
    QCOMPARE(s.started(), 1);  // it answered the cancellation in time
  }
  void compileGivesPtxAndLog() {
    Supervisor s(options());
    CompileRequest r;
    r.candidate = scale("  if (i < n) y[i] = a * x[i];");
    const auto out = s.compile(r);
    QVERIFY2(out.has_value(), out ? "" : out.error().text().c_str());
    QVERIFY(out->ptx.find(".entry scale") != std::string::npos);
    r.candidate = scale("  oops");
    QCOMPARE(s.compile(r).error().code, Code::compile);
  }
};

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
