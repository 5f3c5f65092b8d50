// SPDX-License-Identifier: Apache-2.0
// Candidates as launches that are stepped through, forwards and back.
#include <signal.h>
#include <QtTest>
#include <random>
#include <set>
#include "base/described_json.h"
#include "base/files.h"
#include "op/parse.h"
#include "op/sentence/phrasebook.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim/trace.h"
#include "stepping/element.h"
#include "stepping/moment.h"
#include "stepping/prediction.h"
#include "stepping/stepped_kernels.h"
#include "stepping/subject.h"

using namespace ww;
using namespace ww::stepping;
using namespace ww::test;

namespace {

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

}  // namespace

class SteppingSubjectTest : public QObject {
  Q_OBJECT
  std::optional<op::Library> library_;
  std::optional<rpc::Supervisor> worker_;

  SteppedLaunch subject(const std::string& text, const std::string& sizes) {
    SteppedLaunch s;
    s.candidate = text;
    const op::LibraryOp* const op = library_->find(candidate::named_op(text));
    s.spec = read_file(op->file).value();
    if (!sizes.empty()) s.binding = sizes_of(sizes, op->spec).value();
    return s;
  }
  std::optional<Prepared> prepared(const std::string& text, const std::string& sizes) {
    auto made = prepare(subject(text, sizes), *worker_);
    if (!made) qWarning("%s", made.error().text().c_str());
    return made ? std::optional(std::move(*made)) : std::nullopt;
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

  // Twelve thousand jumps in all, each against a launch that went forwards only.
  void jumpsEqualAFreshRun_data() {
    QTest::addColumn<int>("at");
    for (std::size_t i = 0; i < stepped_kernels().size(); ++i)
      QTest::newRow(stepped_kernels()[i].name) << static_cast<int>(i);
  }
  void jumpsEqualAFreshRun() {
    QFETCH(int, at);
    const SteppedKernel& kernel = stepped_kernels()[static_cast<std::size_t>(at)];
    const auto p = prepared(kernel.text, kernel.sizes);
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

  // The kernel for tensor cores is one, and its step tells all that it wrote.
  void aTensorCoresStepIsTold() {
    SteppedLaunch s = subject(tensor_core, "N = 20");
    s.distribution = op::Distribution::ramp;  // small whole numbers, which tf32 holds exactly
    const auto p = prepare(s, *worker_);
    QVERIFY(p);
    const std::size_t at = p->job.code.find("mma.sync.aligned.m16n8k8");
    QVERIFY(at != std::string::npos);
    sim::TraceQuery q;
    q.block = {0, 0, 0};
    q.most = 1;
    q.until = sim::StopAt{sim::StopKind::ptx_line};
    q.until->line =
        1 + static_cast<int>(std::count(p->job.code.begin(), p->job.code.begin() + static_cast<long>(at), '\n'));
    sim::Tracing kept;
    const auto before = kept.trace(p->job, q, nullptr);
    QVERIFY2(before, before ? "" : before.error().text().c_str());
    q.from = before->position;
    q.until.reset();
    q.to = before->position + 1;
    const auto t = kept.trace(p->job, q, nullptr);
    QVERIFY(t && t->steps.size() == 1);
    QVERIFY(t->steps[0].instruction.starts_with("mma.sync"));
    QCOMPARE(t->steps[0].registers.size(), std::size_t{4});
    for (const sim::WrittenRegister& r : t->steps[0].registers) QCOMPARE(r.values.size(), std::size_t{32});
    q.to = -1;
    q.lens = "y";
    q.block.clear();
    q.from = 0;
    const auto end = sim::trace(p->job, q, nullptr);
    QVERIFY(end && end->lens);
    const auto errors = errors_of(s, *p, "y", end->lens->content);
    QVERIFY(errors && errors->size() == 400);
    QVERIFY(std::ranges::all_of(*errors, [](double e) { return e <= 1; }));
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

  // Whatever the worker did meanwhile, also if it is another one.
  void aFurtherQueryAnswersAsAFreshOne() {
    const auto p = prepared(tiled, "N = 20"), other = prepared(naive, "N = 20");
    QVERIFY(p && other);
    sim::TraceQuery q;
    q.block = {0, 0, 0};
    q.most = 1;
    q.registers = q.thread = 0;
    const auto equal = [&](const sim::Job& job) {
      const auto a = worker_->trace({job, q}), b = sim::trace(job, q, nullptr);
      if (!a || !b) qWarning("%s", (a ? b : a).error().text().c_str());
      return a && b && told(*a) == told(*b);
    };
    for (const int at : {700, 200, 201}) {
      q.from = at - 1;
      q.to = at;
      QVERIFY(equal(p->job));
    }
    q.block = {1, 0, 0};
    QVERIFY(equal(p->job));
    QVERIFY(equal(other->job));
    QVERIFY(equal(p->job));
    QVERIFY(prepared(shuffles, "R = 2, C = 70"));  // compiles in the same worker, which then forgets the launch
    QVERIFY(equal(p->job));
    const auto killed = worker_->process_id();
    QCOMPARE(::kill(killed, SIGKILL), 0);
    const auto ended = [&] {  // a signal takes effect a while later
      const Result<std::string> stat = read_file("/proc/" + std::to_string(killed) + "/stat");
      return !stat || stat->find(") Z") != std::string::npos || stat->find(") X") != std::string::npos;
    };
    QTRY_VERIFY_WITH_TIMEOUT(ended(), 60000);
    // Its child within the sandbox may answer once more.
    QTRY_VERIFY_WITH_TIMEOUT(equal(p->job) && worker_->process_id() != killed, 60000);
    q.from = q.to = 7'000'000;  // a query that cannot be answered leaves the launch as it was
    QVERIFY(!worker_->trace({p->job, q}));
    q.from = 0;
    q.to = 5;
    q.thread = -1;  // its next write is told as far as the launch has run
    QVERIFY(equal(p->job));
  }

  void whatIsToldOfTheLastStepsWarp() {
    const auto p = prepared(tiled, "N = 20");
    QVERIFY(p);
    sim::Tracing kept;
    sim::TraceQuery q;
    q.block = {0, 0, 0};
    q.most = 1;
    q.registers = 0;
    q.thread = 5;
    std::set<int> seen;
    for (std::int64_t at = 40; at < 1000; at += 40) {
      q.from = at - 1;
      q.to = at;
      q.of_last = true;
      const auto a = kept.trace(p->job, q, nullptr);
      QVERIFY(a && a->steps.size() == 1);
      sim::TraceQuery named = q;
      named.of_last = false;
      named.registers = static_cast<int>(a->steps[0].warp);
      named.thread = 32 * named.registers + 5;
      const auto b = kept.trace(p->job, named, nullptr);
      QVERIFY(b);
      QCOMPARE(told(*a), told(*b));
      seen.insert(named.registers);
    }
    QVERIFY(seen.size() > 3);
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
    for (std::size_t w = 0; w < 8; ++w) QCOMPARE(t->timeline->warps[w].waits.size(), std::size_t{100});
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
    SteppedLaunch s = subject(two_launches, "R = 1, C = 40");
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

  // Compiled for debugging, the kernel's variables have their names, in every lane that has a value of them.
  void variablesHaveTheirNames() {
    SteppedLaunch s = subject(tiled, "N = 20");
    QVERIFY(worker_->trace({prepare(s, *worker_)->job, {}})->variables.empty());
    s.debug = true;
    const auto p = prepare(s, *worker_);
    QVERIFY2(p, p ? "" : p.error().text().c_str());
    rpc::TraceRequest request{p->job, {}};
    sim::TraceQuery& q = request.query;
    q.block = {1, 0, 0};
    q.most = 1;
    q.registers = 1;
    q.until = sim::StopAt{sim::StopKind::holds};
    q.until->variable = "k";
    q.until->thread = 37;
    q.until->number = 9;
    const auto t = worker_->trace(request);
    QVERIFY2(t, t ? "" : t.error().text().c_str());
    QCOMPARE(t->arrival, sim::Arrival::there);
    std::map<std::string, std::string> values, types;
    for (const sim::VariableFacts& v : t->variables) {
      values[v.name] = v.values[5];
      types[v.name] = v.type;
    }
    // Thread 37 of block (1, 0): tx = 5, ty = 2.
    QCOMPARE(values["tx"], std::string("5"));
    QCOMPARE(values["ty"], std::string("2"));
    QCOMPARE(values["j"], std::string("21"));
    QCOMPARE(values["N"], std::string("20"));
    QCOMPARE(values["k"], std::string("9"));
    QCOMPARE(values["k0"], std::string("0"));
    QVERIFY(!values["sum"].empty());
    QCOMPARE(types["a"], std::string("const float*"));
    q.until->variable = "nonsense";
    QVERIFY(!worker_->trace(request));
  }

  void theSpecSaysWhatAnElementIs() {
    const op::Spec& spec = library_->find("square_matmul")->spec;
    const auto p = prepared(tiled, "N = 20");
    QVERIFY(p);
    const auto e = spec_element(spec, *p, "y", 45);
    QVERIFY(e);
    QCOMPARE(e->index, (std::vector<std::int64_t>{2, 5}));
    QVERIFY2(e->here.starts_with("y[2, 5] = sum("), e->here.c_str());
    QVERIFY(e->here.find("[2, ") != std::string::npos && e->here.find(", 5]") != std::string::npos);
    QVERIFY(e->line > 1 && !e->equation.empty());
    QCOMPARE(spec_element(spec, *p, "a", 21)->here, std::string("a[1, 1]"));
    QVERIFY(!spec_element(spec, *p, "y", 400));
    QVERIFY(!spec_element(spec, *p, "y", -1));
    QVERIFY(!spec_element(spec, *p, "other", 0));
  }

  void errorsAreMultiplesOfTheTolerance() {
    const SteppedLaunch s = subject(tiled, "N = 20");
    const auto p = prepare(s, *worker_);
    QVERIFY(p);
    rpc::TraceRequest request{p->job, {}};
    request.query.lens = "y";
    const auto t = worker_->trace(request);
    QVERIFY(t && t->lens);
    const auto errors = errors_of(s, *p, "y", t->lens->content);
    QVERIFY2(errors, errors ? "" : errors.error().text().c_str());
    QCOMPARE(errors->size(), std::size_t{400});
    QVERIFY(std::ranges::all_of(*errors, [](double e) { return e <= 1; }));
    std::string wrong = t->lens->content;
    wrong.replace(8 * 33, 8, "0000c07f");  // not a number
    const auto now = errors_of(s, *p, "y", wrong);
    QVERIFY(now && (*now)[33] > 1 && (*now)[32] <= 1);
    QVERIFY(!errors_of(s, *p, "a", t->lens->content));
    QVERIFY(!errors_of(s, *p, "y", "00"));
  }

  void aMomentIsReadAsItWasWritten() {
    Moment m;
    m.set_subject(subject(shuffles, "R = 2, C = 70"));
    m.block = {1};
    m.position = 12;
    m.state = "0123456789abcdef";
    const std::filesystem::path file = std::filesystem::path(WW_BINARY_DIR) / "stepping-moment.wwmoment";
    QVERIFY(write_moment(file, m));
    const auto read = read_moment(file);
    QVERIFY2(read, read ? "" : read.error().text().c_str());
    QVERIFY(read->subject() == m.subject());
    QCOMPARE(json::text_of(*read), json::text_of(m));
    for (const auto& [from, to] : {std::pair{"\"position\": 12", "\"position\": -1"},
                                   {"\"version\": 1", "\"version\": 2"},
                                   {"\"lane\": 0", "\"lane\": 32"},
                                   {"\"spec\"", "\"spock\""}}) {
      std::string text = json::dump(json::of(m), 2);
      const std::size_t at = text.find(from);
      QVERIFY2(at != std::string::npos, from);
      text.replace(at, std::string(from).size(), to);
      QVERIFY(write_file_atomic(file, text));
      QVERIFY2(!read_moment(file), to);
    }
    QVERIFY(!read_moment("/nowhere.wwmoment"));
  }

  void predictionsAskForWhatAStepDid() {
    using Asks = Prediction::Asks;
    sim::StepFacts step;
    step.mask = step.active = "0xffffffff";
    QVERIFY(!prediction_of(step, 3));
    step.registers.push_back({"%f1", "f32", std::vector<std::string>(32, "0.333333343"), {}});
    auto p = prediction_of(step, 3);
    QVERIFY(p && p->asks == Asks::value && p->lane == 3);
    QVERIFY(is_right(*p, "0.33333") && is_right(*p, " 0.3333 ") && !is_right(*p, "0.34") && !is_right(*p, "a third"));
    step.active = "0x0000000f";
    p = prediction_of(step, 3);
    QVERIFY(p && p->asks == Asks::lanes && is_right(*p, "4") && !is_right(*p, "28"));
    sim::SpaceAccess access;
    access.space = sim::AccessedSpace::shared;
    access.wavefronts = 8;
    access.lanes.resize(4);
    step.accesses.push_back(access);
    p = prediction_of(step, 3);
    QVERIFY(p && p->asks == Asks::wavefronts && is_right(*p, "8"));
    access.space = sim::AccessedSpace::global;
    access.sectors = 4;
    access.lanes[0].buffer = "x";
    step.accesses.insert(step.accesses.begin(), access);
    p = prediction_of(step, 3);
    QVERIFY(p && p->asks == Asks::sectors && p->subject == "x" && is_right(*p, "4.0"));
    QVERIFY(is_right({Asks::value, "%r1", 0, "0x10"}, "16"));
  }

  void whatCannotBeSteppedIsRefused() {
    SteppedLaunch s = subject(tiled, "N = 20");
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
