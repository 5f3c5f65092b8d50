// SPDX-License-Identifier: Apache-2.0
// Stepping through kernels: 10,000 random jumps in each against a fresh run, how fast steps run for the first time and
// again, how long a step back and a jump take by the clock and of the processor, and what a million steps cost in
// memory: what the recording counts, and by how much the process grew.
//
//   bench_stepping [jumps [kernel]]     jumps below 0: only the answers of a worker
#include <malloc.h>
#include <time.h>
#include <unistd.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include "base/files.h"
#include "candidate/candidate.h"
#include "op/sentence/phrasebook.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim/stepper.h"
#include "sim/trace.h"
#include "lesson/lesson.h"
#include "stepping/stepped_kernels.h"
#include "stepping/subject.h"

using namespace ww;
using Clock = std::chrono::steady_clock;

namespace {

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// Of the processor, in this process; so much longer a machine with other work takes.
double processor_ms() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

struct Times {
  std::vector<double> waited, worked;  // ms, by the clock and of the processor
  template <class F>
  void add(F&& f) {
    const double before = processor_ms();
    const auto at = Clock::now();
    f();
    waited.push_back(ms_since(at));
    worked.push_back(processor_ms() - before);
  }
};

double of_sorted(std::vector<double> times, double share) {
  std::ranges::sort(times);
  return times.empty()
             ? 0
             : times[std::min(times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size())))];
}

void print(const Times& t) {
  std::printf(" %8.3f %8.3f %8.3f %8.3f", of_sorted(t.waited, 0.5), of_sorted(t.waited, 1), of_sorted(t.worked, 0.5),
              of_sorted(t.worked, 1));
}

double resident_mb() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

Result<std::unique_ptr<sim::Stepper>> begun(const stepping::Prepared& prepared) {
  return sim::Stepper::begin(prepared.job, prepared.job.code);
}

Result<stepping::Prepared> prepared(const op::Library& library, rpc::Supervisor& worker, const std::string& text,
                                    const std::string& sizes) {
  stepping::SteppedLaunch s;
  s.candidate = text;
  const op::LibraryOp* const op = library.find(candidate::named_op(text));
  if (op == nullptr) return fail(Code::not_found, "no such op");
  s.spec = WW_TRY(read_file(op->file));
  s.binding = WW_TRY(stepping::sizes_of(sizes, op->spec));
  return stepping::prepare(s, worker);
}

Status jumps(const char* name, const stepping::Prepared& p, int count) {
  const auto fresh = WW_TRY(begun(p));
  std::vector<std::uint64_t> prints{fresh->machine().fingerprint()};
  const auto begin = Clock::now();
  double hashing = 0;
  while (fresh->machine().forward()) {
    const auto at = Clock::now();
    prints.push_back(fresh->machine().fingerprint());
    hashing += ms_since(at);
  }
  const double first = ms_since(begin) - hashing;
  const auto stepper = WW_TRY(begun(p));
  std::mt19937_64 random(7);
  int wrong = 0;
  Times times, back;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t to = random() % prints.size();
    times.add([&] { stepper->machine().jump(to); });
    wrong += stepper->machine().fingerprint() == prints[to] ? 0 : 1;
    if (to == 0) continue;
    back.add([&] { stepper->machine().jump(to - 1); });
    wrong += stepper->machine().fingerprint() == prints[to - 1] ? 0 : 1;
  }
  std::printf("%-14s %6zu %6d %6d %7.2f", name, prints.size() - 1, count, wrong,
              static_cast<double>(prints.size() - 1) / first / 1000);
  print(times);
  print(back);
  std::printf("\n");
  std::fflush(stdout);
  return {};
}

// As far as a million steps.
Status million(const char* name, const stepping::Prepared& p) {
  constexpr std::uint64_t steps = 1'000'000;
  ::malloc_trim(0);
  const double before = resident_mb();
  const auto stepper = WW_TRY(begun(p));
  simt::Stepping& m = stepper->machine();
  const auto begin = Clock::now();
  while (m.position() < steps && m.forward()) {}
  const double first = ms_since(begin), grown = resident_mb() - before;
  const auto again = Clock::now();
  m.jump(0);
  while (m.position() < m.recorded() && m.forward()) {}
  const double repeated = ms_since(again);
  std::mt19937_64 random(7);
  Times jumps, back;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t to = 1 + random() % m.recorded();
    jumps.add([&] { m.jump(to); });
    back.add([&] { m.jump(to - 1); });
  }
  const auto count = static_cast<double>(m.recorded());
  std::printf("%-14s %8.0f %6.2f %6.2f %9.1f %6.1f", name, count, count / first / 1000, count / repeated / 1000,
              static_cast<double>(m.bytes()) / 1e6, grown);
  print(jumps);
  print(back);
  std::printf("\n");
  std::fflush(stdout);
  return {};
}

// As the window asks: a step of a recorded launch, with all that it shows of the place.
Status answers(const char* name, const stepping::Prepared& p, rpc::Supervisor& worker) {
  constexpr std::int64_t recorded = 300'000;
  rpc::TraceRequest request{p.job, {}};
  request.query.to = recorded;
  request.query.most = 1;
  const sim::Trace first = WW_TRY(worker.trace(request));
  sim::Tracing here;
  WW_TRY(here.trace(p.job, request.query, nullptr, {}, 1));
  request.query.registers = request.query.thread = 0;
  request.query.totals = true;
  request.query.timeline = 400;
  std::mt19937_64 random(7);
  Times asked, back, made;
  std::vector<std::int64_t> known;
  for (int i = 0; i < 100; ++i) {
    const auto to = static_cast<std::int64_t>(2 + random() % static_cast<std::uint64_t>(first.recorded - 2));
    for (Times* times : {&asked, &back}) {
      request.query.to = times == &asked ? to : to - 1;
      request.query.from = request.query.to - 1;
      Result<sim::Trace> answer = fail(Code::internal, "not asked");
      request.query.timeline_known = known;
      times->add([&] { answer = worker.trace(request); });
      if (!answer) return fail(answer.error());
      if (answer->timeline) known = {answer->timeline->first, answer->timeline->end};
    }
    Result<sim::Trace> answer = fail(Code::internal, "not asked");
    made.add([&] { answer = here.further(1, request.query); });
    WW_TRY(answer);
  }
  std::printf("%-14s %8lld", name, static_cast<long long>(first.recorded));
  for (const Times* times : {&asked, &back, &made}) print(*times);
  std::printf("\n");
  std::fflush(stdout);
  return {};
}

// The lesson's own: wmma.mma.sync.
Result<test::SteppedKernel> of_tensor_cores() {
  for (const lesson::Lesson& l : WW_TRY(lesson::lessons_in(lesson::lessons_folder())))
    if (l.name == "tensor_cores")
      return test::SteppedKernel{"mma.sync", l.all<lesson::Task>().front()->solution, "M = 20, N = 20, K = 40",
                                 "M = 256, N = 256, K = 512"};
  return fail(Code::not_found, "there is no lesson on tensor cores");
}

Status run(int count, const std::string& only) {
  std::vector<test::SteppedKernel> kernels = test::stepped_kernels();
  kernels.push_back(WW_TRY(of_tensor_cores()));
  const auto others = [&](const test::SteppedKernel& k) { return !only.empty() && only != k.name; };
  std::erase_if(kernels, others);
  const op::Library library = WW_TRY(op::Library::load(resources_dir() / "ops"));
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  const auto heading = [](const char* columns, const std::vector<const char*>& timed) {
    std::printf("\n%s", columns);
    for (const char* what : timed) std::printf("  %s: median longest, processor", what);
    std::printf(" (ms)\n");
  };
  if (count >= 0) heading("kernel          steps  jumps  wrong Mstep/s", {"jump", "back"});
  for (const test::SteppedKernel& k : kernels) {
    if (count < 0) break;
    const auto p = prepared(library, worker, k.text, k.sizes);
    if (!p) return fail(p.error());
    WW_TRY(jumps(k.name, *p, count));
  }
  for (const test::SteppedKernel& k : test::costly_kernels())
    if (!others(k)) kernels.push_back(k);
  if (count >= 0) heading("kernel            steps Mstep/s again  recorded  grown (MB)", {"jump", "back"});
  for (const test::SteppedKernel& k : kernels) {
    if (count < 0) break;
    const auto p = prepared(library, worker, k.text, k.large);
    if (!p) return fail(p.error());
    WW_TRY(million(k.name, *p));
  }
  heading("kernel         recorded", {"answer", "one step back", "made, here"});
  for (const test::SteppedKernel& k : kernels) {
    const auto p = prepared(library, worker, k.text, k.large);
    if (!p) return fail(p.error());
    WW_TRY(answers(k.name, *p, worker));
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const Status done = run(argc > 1 ? std::atoi(argv[1]) : 10'000, argc > 2 ? argv[2] : "");
  if (!done) std::fprintf(stderr, "%s\n", done.error().text().c_str());
  return done ? 0 : 1;
}
