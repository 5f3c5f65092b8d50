// SPDX-License-Identifier: Apache-2.0
// Candidates as launches that are stepped through, forwards and back.
#include <QtTest>
#include <random>
#include "base/described_json.h"
#include "base/files.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim/trace.h"
#include "stepping/subject.h"

using namespace ww;
using namespace ww::stepping;

namespace {

constexpr const char* naive =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  const int j = blockIdx.x * 16 + threadIdx.x, i = blockIdx.y * 16 + threadIdx.y;\n"
    "  if (i >= N || j >= N) return;\n"
    "  float sum = 0;\n"
    "  for (int k = 0; k < N; ++k) sum += a[i * N + k] * b[k * N + j];\n"
    "  y[i * N + j] = sum;\n"
    "}\n";
constexpr const char* tiled =
    "//@ candidate square_matmul\n"
    "//@ launch product grid(ceildiv(N, 16), ceildiv(N, 16)) block(16, 16) args(a, b, y, N)\n"
    "extern \"C\" __global__ void product(const float* a, const float* b, float* y, int N) {\n"
    "  __shared__ float as[16][16], bs[16][16];\n"
    "  const int tx = threadIdx.x, ty = threadIdx.y;\n"
    "  const int j = blockIdx.x * 16 + tx, i = blockIdx.y * 16 + ty;\n"
    "  float sum = 0;\n"
    "  for (int k0 = 0; k0 < N; k0 += 16) {\n"
    "    as[ty][tx] = i < N && k0 + tx < N ? a[i * N + k0 + tx] : 0.0f;\n"
    "    bs[ty][tx] = j < N && k0 + ty < N ? b[(k0 + ty) * N + j] : 0.0f;\n"
    "    __syncthreads();\n"
    "    for (int k = 0; k < 16; ++k) sum += as[ty][k] * bs[k][tx];\n"
    "    __syncthreads();\n"
    "  }\n"
    "  if (i < N && j < N) y[i * N + j] = sum;\n"
    "}\n";
constexpr const char* racy =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(64) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  __shared__ float part[64];\n"
    "  const int t = threadIdx.x;\n"
    "  float s = 0;\n"
    "  for (int c = t; c < C; c += 64) s += x[blockIdx.x * C + c];\n"
    "  part[t] = s;\n"
    "  if (t < 32) s += part[t + 32];\n"
    "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);\n"
    "  if (t == 0) y[blockIdx.x] = s;\n"
    "}\n";
constexpr const char* divergent =
    "//@ candidate relu\n"
    "//@ launch relu grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void relu(const float* x, float* y, int C) {\n"
    "  const int t = threadIdx.x;\n"
    "#pragma unroll 1\n"
    "  for (int c = C - 1 - t; c >= 0; c -= 32) {\n"
    "#pragma unroll 1\n"
    "    for (int k = 0; k < t % 5; ++k) __nanosleep(k);\n"
    "    const float v = x[blockIdx.x * C + c];\n"
    "    if (v > 0) y[blockIdx.x * C + c] = v; else y[blockIdx.x * C + c] = 0;\n"
    "  }\n"
    "}\n";
constexpr const char* shuffles =
    "//@ candidate sum\n"
    "//@ launch sums grid(R) block(32) args(x, y, C)\n"
    "extern \"C\" __global__ void sums(const float* x, float* y, int C) {\n"
    "  float s = 0;\n"
    "  for (int c = threadIdx.x; c < C; c += 32) s += x[blockIdx.x * C + c];\n"
    "  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);\n"
    "  if (threadIdx.x == 0) y[blockIdx.x] = s;\n"
    "}\n";
constexpr const char* two_launches =
    "//@ candidate silu_multiply\n"
    "//@ temp mid: f32[R, C]\n"
    "//@ launch silu grid(ceildiv(R * C, 256)) block(256) args(a, mid, R * C)\n"
    "//@ launch multiply grid(ceildiv(R * C, 256)) block(256) args(mid, b, y, R * C)\n"
    "extern \"C\" __global__ void silu(const float* a, float* mid, int n) {\n"
    "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
    "  if (i < n) mid[i] = a[i] / (1.0f + expf(-a[i]));\n"
    "}\n"
    "extern \"C\" __global__ void multiply(const float* mid, const float* b, float* y, int n) {\n"
    "  const int i = blockIdx.x * 256 + threadIdx.x;\n"
    "  if (i < n) y[i] = mid[i] * b[i];\n"
    "}\n";

const std::vector<std::pair<const char*, const char*>> kernels{{"naive product", naive},
                                                               {"tiled product", tiled},
                                                               {"race", racy},
                                                               {"divergent loop", divergent},
                                                               {"warp shuffles", shuffles}};

}  // namespace

class SteppingSubjectTest : public QObject {
  Q_OBJECT
  std::optional<op::Library> library_;
  std::optional<rpc::Supervisor> worker_;

  Subject subject(const char* text, const std::string& sizes) {
    Subject s;
    s.candidate = text;
    const op::LibraryOp* const op = library_->find(candidate::named_op(text));
    s.spec = read_file(op->file).value();
    if (!sizes.empty()) s.binding = sizes_of(sizes, op->spec).value();
    return s;
  }
  std::optional<Prepared> prepared(const char* text, const std::string& sizes) {
    auto made = prepare(subject(text, sizes), *worker_);
    if (!made) qWarning("%s", made.error().text().c_str());
    return made ? std::optional(std::move(*made)) : std::nullopt;
  }
  static std::string sizes_for(const char* text) {
    return std::string(text).find("square_matmul") != std::string::npos ? "N = 20" : "R = 2, C = 70";
  }
  // What does not depend on how a position was reached, as text.
  static std::string told(sim::Trace t) {
    t.recorded = t.bytes = 0;
    t.seconds = 0;
    t.arrival = sim::Arrival::there;
    std::erase_if(t.findings, [&](const sim::StepFinding& f) { return f.step >= t.position; });
    return json::text_of(t);
  }

 private slots:
  void initTestCase() {
    auto library = op::Library::load(resources_dir() / "ops");
    QVERIFY(library);
    library_ = std::move(*library);
    rpc::WorkerOptions how;
    how.compile_cache = std::filesystem::path(WW_BINARY_DIR) / "stepping-cache";
    worker_.emplace(how);
  }

  // Ten thousand jumps in all, each against a launch that went forwards only.
  void jumpsEqualAFreshRun_data() {
    QTest::addColumn<int>("at");
    for (std::size_t i = 0; i < kernels.size(); ++i) QTest::newRow(kernels[i].first) << static_cast<int>(i);
  }
  void jumpsEqualAFreshRun() {
    QFETCH(int, at);
    const char* const text = kernels[static_cast<std::size_t>(at)].second;
    const auto p = prepared(text, sizes_for(text));
    QVERIFY(p);
    auto fresh = sim::Stepper::begin(p->job, p->job.code);
    QVERIFY2(fresh.has_value(), fresh ? "" : fresh.error().text().c_str());
    std::vector<std::uint64_t> prints{(*fresh)->machine().fingerprint()};
    while ((*fresh)->machine().forward()) prints.push_back((*fresh)->machine().fingerprint());
    QVERIFY(prints.size() > 100);
    auto jumping = sim::Stepper::begin(p->job, p->job.code);
    QVERIFY(jumping);
    std::mt19937 random(7);
    std::uniform_int_distribution<std::size_t> position(0, prints.size() - 1);
    for (int i = 0; i < 2000; ++i) {
      const std::size_t to = position(random);
      QCOMPARE((*jumping)->go(to), sim::Arrival::there);
      QVERIFY2((*jumping)->machine().fingerprint() == prints[to], std::to_string(to).c_str());
    }
    QCOMPARE((*jumping)->findings().size(), (*fresh)->findings().size());
  }

  void aKeptLaunchAnswersAsAFreshOne() {
    const auto p = prepared(tiled, "N = 20");
    QVERIFY(p);
    sim::Tracing kept;
    std::mt19937 random(3);
    const sim::StopKind kinds[] = {sim::StopKind::instruction, sim::StopKind::source_line, sim::StopKind::barrier};
    for (int i = 0; i < 60; ++i) {
      sim::TraceQuery q;
      q.block = {0, 0, 0};
      q.most = 1;
      q.shared = true;
      q.registers = static_cast<int>(random() % 8);
      q.from = static_cast<std::int64_t>(random() % 1500);
      q.until = sim::StopAt{kinds[random() % 3]};
      q.reverse = random() % 2 == 0;
      const auto a = kept.trace(p->job, q, nullptr), b = sim::trace(p->job, q, nullptr);
      QVERIFY2(a && b, a ? "" : a.error().text().c_str());
      QCOMPARE(a->position, b->position);
      QCOMPARE(a->arrival, b->arrival);
      QCOMPARE(told(*a), told(*b));
      QVERIFY(q.reverse ? a->position <= q.from : a->position >= q.from);
    }
  }

  void linesForwardsAreLinesBack() {
    const auto p = prepared(tiled, "N = 20");
    QVERIFY(p);
    rpc::TraceRequest request{p->job, {}};
    request.query.block = {1, 0, 0};
    request.query.warp = 2;
    request.query.most = 1;
    request.query.until = sim::StopAt{sim::StopKind::source_line};
    request.query.until->warp = 2;
    std::vector<std::int64_t> stops{0};
    for (int i = 0; i < 12; ++i) {
      request.query.from = stops.back();
      const auto t = worker_->trace(request);
      QVERIFY(t);
      stops.push_back(t->position);
    }
    request.query.reverse = true;
    for (std::size_t i = stops.size() - 1; i-- > 1;) {
      request.query.from = stops[i + 1];
      const auto t = worker_->trace(request);
      QVERIFY(t);
      QCOMPARE(t->position, stops[i]);
    }
  }

  void severalPlacesStopIt() {
    const auto p = prepared(tiled, "N = 20");
    rpc::TraceRequest request{p->job, {}};
    sim::TraceQuery& q = request.query;
    q.block = {0, 0, 0};
    q.until = sim::StopAt{sim::StopKind::line, 15};
    const auto one = worker_->trace(request);
    QVERIFY(one && one->arrival == sim::Arrival::there);
    q.stops = {sim::StopAt{sim::StopKind::line, 12}};
    const auto both = worker_->trace(request);
    QVERIFY(both && both->arrival == sim::Arrival::there);
    QVERIFY(both->position < one->position);
    q.until = sim::StopAt{sim::StopKind::end};
    q.stops.clear();
    const auto end = worker_->trace(request);
    QVERIFY(end);
    QCOMPARE(end->arrival, sim::Arrival::there);
    QVERIFY(end->ended && end->position > one->position);
    q.until.reset();
    q.reverse = true;
    QVERIFY(!worker_->trace(request));
  }

  void aTimelineCountsEveryStep() {
    const auto p = prepared(tiled, "N = 20");
    rpc::TraceRequest request{p->job, {}};
    request.query.block = {0, 0, 0};
    request.query.until = sim::StopAt{sim::StopKind::end};
    request.query.timeline = 100;
    const auto t = worker_->trace(request);
    QVERIFY(t && t->timeline);
    QCOMPARE(t->timeline->warps.size(), std::size_t{8});
    std::int64_t steps = 0;
    for (const sim::WarpTime& w : t->timeline->warps) {
      QCOMPARE(w.steps.size(), std::size_t{100});
      steps += std::accumulate(w.steps.begin(), w.steps.end(), std::int64_t{0});
    }
    QCOMPARE(steps, t->timeline->end - t->timeline->first);
    QCOMPARE(t->timeline->end, t->recorded);
    QCOMPARE(t->timeline->releases.size(), std::size_t{4});  // two tiles with two barriers each
  }

  void aRaceStopsAgainWithBothSides() {
    const auto p = prepared(racy, "R = 1, C = 70");
    QVERIFY(p);
    rpc::TraceRequest request{p->job, {}};
    request.query.until = sim::StopAt{sim::StopKind::end};
    const auto first = worker_->trace(request), again = worker_->trace(request);
    QVERIFY(first && again);
    QCOMPARE(first->arrival, sim::Arrival::found);
    QCOMPARE(again->arrival, sim::Arrival::found);  // although the steps have run before
    QCOMPARE(again->position, first->position);
    bool raced = false;
    for (auto t = first; t && t->arrival == sim::Arrival::found; t = worker_->trace(request)) {
      for (const sim::StepFinding& f : t->findings) raced = raced || (f.finding.check == "races" && f.finding.other);
      request.query.from = t->position;
    }
    QVERIFY(raced);
  }

  void launchesBeforeItHaveRun() {
    Subject s = subject(two_launches, "R = 1, C = 40");
    s.launch = 1;
    const auto p = prepare(s, *worker_);
    QVERIFY2(p.has_value(), p ? "" : p.error().text().c_str());
    QCOMPARE(p->job.entry, std::string("multiply"));
    QVERIFY(p->job.args[0].buffer->content.has_value());   // mid
    QVERIFY(!p->job.args[2].buffer->content.has_value());  // y
    rpc::TraceRequest request{p->job, {}};
    request.query.until = sim::StopAt{sim::StopKind::end};
    const auto t = worker_->trace(request);
    QVERIFY(t);
    QCOMPARE(t->arrival, sim::Arrival::there);
    QVERIFY(t->findings.empty());
    s.launch = 2;
    const auto none = prepare(s, *worker_);
    QVERIFY(!none);
    QCOMPARE(none.error().message, std::string("the plan has no launch 3"));
  }

  void aFailureLeadsToItsWrite() {
    evidence::Failure failure;
    failure.case_name = "default";
    failure.element = evidence::FailingElement{};
    failure.element->tensor = "y";
    failure.element->index = {1, 3};
    const auto p = prepared(two_launches, "R = 2, C = 10");
    QVERIFY(p);
    QCOMPARE(launch_of(failure, p->launches), 1);
    const auto at = where_wrong(failure, *p);
    QVERIFY(at);
    QCOMPARE(at->buffer, std::string("y"));
    QCOMPARE(at->index, std::int64_t{13});
    failure.fault = Fault{};
    failure.fault->kernel = "silu";
    QCOMPARE(launch_of(failure, p->launches), 0);
    QVERIFY(!where_wrong(failure, *p));
  }

  void sizesAreReadAndChosen() {
    const op::Spec& spec = library_->find("sum")->spec;
    QCOMPARE(sizes_text(sizes_of("R = 3, C=5", spec).value()), std::string("C = 5, R = 3"));
    QVERIFY(!sizes_of("R = x", spec));
    QVERIFY(!sizes_of("Q = 3", spec));
    const auto chosen = prepared(tiled, "");
    QVERIFY(chosen);
    QVERIFY(chosen->binding.symbols.at("N") >= 16 && chosen->binding.symbols.at("N") <= 64);
  }

  void whatCannotBeSteppedIsRefused() {
    Subject s = subject(tiled, "N = 20");
    s.candidate = "//@ candidate sum\n";
    QVERIFY(!prepare(s, *worker_));
    s = subject(tiled, "N = 20");
    s.candidate += "syntax error";
    const auto broken = prepare(s, *worker_);
    QVERIFY(!broken);
    QCOMPARE(broken.error().code, Code::compile);
  }
};

QTEST_GUILESS_MAIN(SteppingSubjectTest)
#include "subject_test.moc"
