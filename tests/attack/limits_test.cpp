// SPDX-License-Identifier: Apache-2.0
// Candidates that use up memory or processors: none is judged by that, none is rejected for it, and the next one gets a
// fresh worker.
#include <QTemporaryDir>
#include <QtTest>
#include <atomic>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include "../explore/script.h"
#include "rpc/limits.h"
#include "rpc/supervisor.h"

using namespace ww;
using namespace ww::rpc;
using namespace std::chrono_literals;

namespace {

constexpr const char* honest =
    "//@ candidate scale\n//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y, N)\n"
    "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n  const int i = blockIdx.x * 64 + "
    "threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n}\n";

std::string bomb(const std::string& before, const std::string& body) {
  return "//@ candidate scale\n//@ launch k grid(1) block(64) args(x, y, N)\n" + before +
         "\nextern \"C\" __global__ void k(const float* x, float* y, int n) {\n" + body + "\n}\n";
}

// A process of this test, which does `work` and then waits.
struct Child {
  pid_t pid;
  explicit Child(const std::function<void()>& work) : pid(::fork()) {
    if (pid != 0) return;
    work();
    for (;;) ::pause();
  }
  ~Child() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
};

}  // namespace

class LimitsTest : public QObject {
  Q_OBJECT
  QTemporaryDir folder_;

  WorkerOptions real() const {
    WorkerOptions o;
    o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/warpwright-worker";
    o.compile_cache = folder_.path().toStdString();
    return o;
  }
  static WorkerOptions standin(const std::string& how) {
    WorkerOptions o;
    o.program = std::filesystem::path(WW_BINARY_DIR) / "bin/rpc_standin";
    o.arguments = {how};
    return o;
  }
  static GateRequest request(const std::string& candidate) {
    GateRequest r;
    r.spec = script::spec;
    r.candidate = candidate;
    r.seeds = 1;
    r.deadline = 300s;
    return r;
  }

 private slots:
  void exhaustedWorkersJudgeNothing_data() {
    QTest::addColumn<QString>("how");
    QTest::addColumn<FaultKind>("limit");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("memory") << "no-memory" << FaultKind::memory_limit << "the worker ran out of memory";
    QTest::newRow("processor") << "no-time" << FaultKind::processor_limit << "of processor time while running case odd";
  }
  void exhaustedWorkersJudgeNothing() {
    QFETCH(QString, how);
    QFETCH(FaultKind, limit);
    QFETCH(QString, sentence);
    Supervisor s(standin(how.toStdString()));
    for (int round = 1; round <= 2; ++round) {
      const auto v = s.gate(request(script::candidate("one", "accepted")));
      QVERIFY2(v, v ? "" : v.error().text().c_str());
      const QString message = QString::fromStdString(v->summary());
      QVERIFY2(message.contains(sentence) && message.startsWith("not judged at "), qPrintable(message));
      QCOMPARE(v->last_fault(), limit);
      QCOMPARE(v->ruling(), evidence::Ruling::not_judged);
      QCOMPARE(s.started(), round);  // neither tried twice nor used again
      QCOMPARE(s.process_id(), 0);
    }
    QCOMPARE(s.compile({}).error().code, Code::crashed);
    QCOMPARE(s.gate(request("\xff"))->ruling(), evidence::Ruling::rejected);  // sent to no worker
  }
  void bombs_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("templates") << QString::fromStdString(
        bomb("template <int N, long long K> struct Tree { static constexpr int v = Tree<N - 1, 2 * K>::v + Tree<N - 1, "
             "2 * K + 1>::v; };\ntemplate <long long K> struct Tree<0, K> { static constexpr int v = 1; };",
             "y[0] = Tree<26, 1>::v;"));
    QTest::newRow("inlined calls") << QString::fromStdString(bomb(
        "template <int N> __device__ __forceinline__ float f(const float* x, float a) { return f<N - 1>(x, f<N - "
        "1>(x, a)); }\ntemplate <> __device__ __forceinline__ float f<0>(const float* x, float a) { return a * a + "
        "x[int(a) & 1]; }",
        "y[0] = f<22>(x, n);"));
    QTest::newRow("macros") << QString::fromStdString([] {
      std::string defines = "#define M0 + x[n] * y[n]\n";
      for (int i = 1; i <= 26; ++i) {
        const std::string n = std::to_string(i), m = std::to_string(i - 1);
        defines += "#define M" + n + " M" + m + " M" + m + "\n";
      }
      return bomb(defines, "y[0] = 0 M26;");
    }());
  }
  void bombs() {
    QFETCH(QString, text);
    WorkerOptions o = real();
    o.memory_limit = std::int64_t{256} << 20;
    Supervisor s(o);
    const auto v = s.gate(request(text.toStdString()));
    QVERIFY2(v, v ? "" : v.error().text().c_str());
    qInfo("%s", v->summary().c_str());
    QCOMPARE(v->last_fault(), FaultKind::memory_limit);
    QVERIFY2(v->summary().find("GiB of memory while compiling") != std::string::npos, v->summary().c_str());
    const auto after = s.gate(request(honest));
    QVERIFY2(after && after->accepted, after ? after->summary().c_str() : after.error().text().c_str());
    QCOMPARE(s.started(), 2);
  }
  void theSystemEndsAWorkerThatNobodyWatches() {
    Supervisor s(real());
    const auto v = s.gate(request(honest));
    QVERIFY2(v && v->accepted, v ? v->summary().c_str() : v.error().text().c_str());
    int pid = s.process_id();
    for (int level = 0; level < 2; ++level) {
      const std::string name = std::to_string(pid);
      std::ifstream children("/proc/" + name + "/task/" + name + "/children");
      if (int child = 0; children >> child) pid = child;
    }
    rlimit limit{};
    QCOMPARE(::prlimit(pid, RLIMIT_CPU, nullptr, &limit), 0);
    QVERIFY(limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur > 300);
  }
  void whatIsUsedIsSeen() {
    const Child busy([] {
      for (std::atomic<unsigned> n = 0;; ++n) {}
    });
    const UsageWatch watch(busy.pid, {0, 100ms});
    QTRY_COMPARE(watch.exceeded(), Limit::processor_time);
    const Child large([] {
      constexpr std::size_t bytes = std::size_t{96} << 20;
      void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      std::memset(at, 1, bytes);
    });
    const UsageWatch all(large.pid, {std::int64_t{64} << 20, 0ms}), more(large.pid, {std::int64_t{4} << 30, 0ms});
    QTRY_COMPARE(all.exceeded(), Limit::memory);
    QCOMPARE(more.exceeded(), Limit::none);
  }
  void theNeedFollowsTheCase() {
    const auto need = [](std::int64_t n) {
      return memory_for({script::spec, "simt", {{{"N", n}}, {}}, {script::candidate("one", "accepted")}, 5});
    };
    QVERIFY(need(64) > 0 && need(64) < std::int64_t{1} << 30);
    QVERIFY(need(10'000'000) >= need(64) + 10'000'000 * 8);
    const std::string scratch = "//@ temp scratch: f32[N]\n";
    Need with{script::spec, "simt", {{{"N", 10'000'000}}, {}}, {}, 5}, without = with;
    const std::string text = script::candidate("one", "accepted");
    const std::size_t at = text.find("//@ launch");
    with.candidates = {text.substr(0, at) + scratch + text.substr(at)};
    without.candidates = {text};
    QVERIFY(memory_for(with) >= memory_for(without) + 10'000'000 * 4);
    QCOMPARE(memory_for({"no spec", "simt", {}, {}, 1}), std::int64_t{0});
  }
};

QTEST_GUILESS_MAIN(LimitsTest)
#include "limits_test.moc"
