// SPDX-License-Identifier: Apache-2.0
// What a wrong result follows, of kernels that are compiled and run on the SIMT machine.
#include <QtTest>
#include <set>
#include "evidence/explain.h"
#include "gate/gate.h"
#include "support/simt_judge.h"

using namespace ww;

namespace {

constexpr const char* twice = "op twice(x: f32[N]) -> y: f32[N]\n  default N = 1000\n{\n  y[i] = 2 * x[i]\n}\n";
constexpr const char* sum =
    "op total(x: f32[R, C]) -> y: f32[R]\n  default R = 20, C = 64\n{\n  y[r] = sum(c) x[r, c]\n}\n";

std::string map(const std::string& before, const std::string& value) {
  return "//@ candidate twice\n//@ launch k grid(ceildiv(N, 64)) block(64) args(x, y, N, count)\n//@ temp count: "
         "i32[1]\n"
         "//@ zero count\n__device__ int calls;\n"
         "extern \"C\" __global__ void k(const float* x, float* y, int n, int* count) {\n"
         "  int i = blockIdx.x * 64 + threadIdx.x;\n" +
         before + "\n  if (i < n) y[i] = " + value + ";\n}\n";
}

std::string rows(int threads, const std::string& end) {
  const std::string n = std::to_string(threads);
  return "//@ candidate total\n//@ temp part: f32[R, 64]\n//@ zero part\n//@ launch k grid(R) block(" + n +
         ") args(x, part, y, C)\n"
         "extern \"C\" __global__ void k(const float* x, float* part, float* y, int C) {\n"
         "  __shared__ volatile float t[64];\n  float s = 0;\n"
         "  for (int c = threadIdx.x; c < C; c += " +
         n + ") s += x[blockIdx.x * C + c];\n" + end + "}\n";
}

}  // namespace

class OrderTest : public QObject, testing::WithSimtGate {
  Q_OBJECT

 private slots:
  void aWrongResultNamesWhatItFollows_data() {
    QTest::addColumn<QString>("spec");
    QTest::addColumn<QString>("candidate");
    QTest::addColumn<int>("expected");
    const auto row = [](const char* name, const char* spec, const std::string& candidate, DependsOn what) {
      QTest::newRow(name) << spec << QString::fromStdString(candidate) << static_cast<int>(what);
    };
    row("a sum of a warp without synchronisation", sum,
        rows(32,
             "  t[threadIdx.x] = 0;\n  __syncwarp();\n  t[threadIdx.x] = s;\n  for (int d = 16; d > 0; d /= 2)\n"
             "    if (threadIdx.x < d) t[threadIdx.x] = t[threadIdx.x] + t[threadIdx.x + d];\n"
             "  if (threadIdx.x == 0) y[blockIdx.x] = t[0];\n"),
        DependsOn::lanes);
    row("the first and the last warp write what all read", sum,
        rows(128,
             "  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);\n"
             "  if (threadIdx.x % 32 == 0) atomicAdd(&part[blockIdx.x * 64 + 1], s);\n  __syncthreads();\n"
             "  if (threadIdx.x % 96 == 0) part[blockIdx.x * 64] = part[blockIdx.x * 64 + 1];\n  __syncwarp();\n"
             "  if (threadIdx.x == 32) y[blockIdx.x] = part[blockIdx.x * 64];\n"),
        DependsOn::warps);
    row("warps that share global memory", sum,
        rows(64,
             "  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);\n"
             "  if (threadIdx.x % 32 == 0) part[blockIdx.x * 64 + threadIdx.x / 32] = s;\n"
             "  if (threadIdx.x == 0) y[blockIdx.x] = part[blockIdx.x * 64] + part[blockIdx.x * 64 + 1];\n"),
        DependsOn::warps);
    row("tickets that are taken for the numbers of blocks", twice,
        map("  __shared__ int ticket;\n  if (threadIdx.x == 0) ticket = atomicAdd(count, 1);\n  __syncthreads();",
            "2 * x[i] + (ticket == blockIdx.x ? 0.f : 1.f)"),
        DependsOn::blocks);
    row("tickets that are taken for the numbers of lanes", twice,
        map("  __shared__ int next[2];\n  if (threadIdx.x < 2) next[threadIdx.x] = 0;\n  __syncthreads();\n"
            "  int slot = atomicAdd(&next[threadIdx.x / 32], 1);",
            "2 * x[i] + (slot == threadIdx.x % 32 ? 0.f : 1.f)"),
        DependsOn::atomics);
    row("a counter of calls", twice,
        map("  if (i == 0) calls = calls + 1;", "2 * x[i] + (i == 0 && calls > 2 ? 1.f : 0.f)"), DependsOn::calls);
    row("a plain mistake", twice, map("", "x[i]"), DependsOn::no_order);
  }
  void aWrongResultNamesWhatItFollows() {
    QFETCH(QString, spec);
    QFETCH(QString, candidate);
    QFETCH(int, expected);
    gate::Request request;
    request.spec = spec.toStdString();
    request.candidate = candidate.toStdString();
    for (const char* secret : {"5eed5eed5eed5eed", "0123456789abcdef", "fedcba9876543210"}) {
      request.secret = secret;
      const evidence::Verdict verdict = verdict_of(request);
      const evidence::StageResult* last = verdict.last_stage();
      QVERIFY2(last && last->failure && last->failure->element, verdict.summary().c_str());
      const DependsOn found = last->failure->depends_on;
      const std::string text = evidence::depends_text(found);
      QVERIFY2(found == static_cast<DependsOn>(expected), (verdict.summary() + " / " + enum_string(found)).c_str());
      QVERIFY2(text.empty() || last->message.ends_with(text), last->message.c_str());
    }
  }

  // Host threads change nothing that a verdict says.
  void aSecretRepeatsAVerdict() {
    gate::Request request;
    request.spec = sum;
    request.candidate =
        "//@ candidate total\n//@ zero y\n//@ launch k grid(R, 8) block(32) args(x, y, C)\n"
        "extern \"C\" __global__ void k(const float* x, float* y, int C) {\n"
        "  float s = 0;\n  for (int c = blockIdx.y * 32 + threadIdx.x; c < C; c += 256) s += x[blockIdx.x * C + c];\n"
        "  s *= 1.0001f;\n  atomicAdd(y + blockIdx.x, s);\n}\n";
    for (const char* secret : {"5eed5eed5eed5eed", "0123456789abcdef", "fedcba9876543210"}) {
      request.secret = secret;
      std::set<std::string> said;
      for (int i = 0; i < 4; ++i) {
        const evidence::Verdict verdict = verdict_of(request, 8);
        QVERIFY(!verdict.accepted);
        said.insert(verdict.summary());
      }
      QVERIFY2(said.size() == 1, said.begin()->c_str());
    }
  }
};

QTEST_GUILESS_MAIN(OrderTest)
#include "order_test.moc"
