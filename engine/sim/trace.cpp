// SPDX-License-Identifier: Apache-2.0
#include "sim/trace.h"
#include <algorithm>
#include <bit>
#include <chrono>
#include <fmt/format.h>
#include "base/described_json.h"
#include "base/hash.h"
#include "sim/code.h"
#include "simt/program.h"

namespace ww::sim {
namespace {

constexpr std::size_t most_bytes = std::size_t{10} << 20;  // of an answer, roughly

std::size_t size_of(const StepFacts& s) {
  std::size_t n = 512 + s.instruction.size();
  for (const WrittenRegister& r : s.registers) {
    n += 64;
    for (const std::string& v : r.values) n += v.size() + 4;
  }
  for (const SpaceAccess& a : s.accesses)
    for (const LaneAccess& l : a.lanes) n += 80 + l.buffer.size() + l.value.size();
  return n;
}

Status check_query(const TraceQuery& q) {
  const auto bad = [](const char* text) { return fail(Code::invalid_argument, text); };
  if (q.from < 0 || q.to < -1 || q.back < 0) return bad("steps are counted from 0");
  if (q.to >= 0 && q.to < q.from) return bad("the last step comes before the first");
  if (q.to >= 0 && q.until) return bad("either a position or a place to stop at, not both");
  if ((q.last || q.reverse || !q.stops.empty()) && !q.until) return bad("where to stop is not said");
  if (q.last && q.reverse) return bad("either the last place or the one before, not both");
  if (q.timeline < 0 || q.timeline > most_timeline)
    return fail(Code::invalid_argument, "a time line has at most " + std::to_string(most_timeline) + " parts");
  if (q.frames < 0 || q.frames > most_lens_frames || (q.frames > 0 && q.lens.empty()))
    return fail(Code::invalid_argument,
                "a lens has at most " + std::to_string(most_lens_frames) + " frames, and frames need a lens");
  if (q.most < 1 || q.most > most_traced)
    return fail(Code::invalid_argument, "between 1 and " + std::to_string(most_traced) + " steps can be shown");
  return {};
}

class Tracer {
 public:
  Tracer(Stepper& stepper, const TraceQuery& query, std::stop_token stop, Trace& out)
      : stepper_(stepper), machine_(stepper.machine()), q_(query), stop_(std::move(stop)), out_(out) {}

  Status run() {
    StopAt step;
    step.warp = q_.warp;
    WW_TRY(stepper_.check(step));
    if (q_.registers >= 0) {
      step.warp = q_.registers;
      WW_TRY(stepper_.check(step));
      step.warp = q_.warp;
    }
    if (q_.thread >= 0) {
      step.warp = -1;
      step.thread = q_.thread;
      WW_TRY(stepper_.check(step));
      step.thread = -1;
      step.warp = q_.warp;
    }
    if (q_.until) {
      places_.push_back(*q_.until);
      places_.insert(places_.end(), q_.stops.begin(), q_.stops.end());
    }
    for (const StopAt& at : places_) WW_TRY(stepper_.check(at));
    const auto from = static_cast<std::uint64_t>(q_.from);
    const Arrival begun = stepper_.go(from, stop_);
    if (begun == Arrival::ended)
      return fail(Code::invalid_argument, "the launch ends after " + std::to_string(machine_.recorded()) +
                                              " steps, before step " + std::to_string(from));
    out_.arrival = begun;
    if (begun == Arrival::there) arrive(from);
    for (std::int64_t i = 0; i < q_.back && out_.arrival != Arrival::cancelled; ++i)
      if (stepper_.back(step, stop_) == Arrival::ended) break;
    if (out_.arrival == Arrival::cancelled) return fail(Code::cancelled, "the trace was cancelled");
    if (!q_.lens.empty()) out_.lens = WW_TRY(stepper_.lens(q_.lens, q_.frames));
    return show(from);
  }

 private:
  bool shown(std::uint64_t step) const { return q_.warp < 0 || machine_.record(step).warp == q_.warp; }
  bool shows_end() const { return q_.until || q_.back > 0; }  // of what has run, else its beginning

  void arrive(std::uint64_t from) {
    if (q_.until && q_.last) {
      out_.arrival = stepper_.go(Stepper::most_steps, stop_);
      if (out_.arrival != Arrival::cancelled) out_.arrival = stepper_.back(places_, stop_);
    } else if (q_.until) {
      out_.arrival = q_.reverse ? stepper_.back(places_, stop_) : stepper_.run(places_, stop_);
    } else if (!q_.lens.empty() && q_.to < 0) {
      out_.arrival = stepper_.go(Stepper::most_steps, stop_);
    } else if (q_.to >= 0) {
      out_.arrival = stepper_.go(static_cast<std::uint64_t>(q_.to), stop_);
    } else {
      std::int64_t steps = 0;
      for (std::uint64_t p = from; steps < q_.most && out_.arrival == Arrival::there; ++p) {
        out_.arrival = stepper_.go(p + 1, stop_);
        if (out_.arrival == Arrival::there) steps += shown(p);
      }
    }
  }

  Status show(std::uint64_t from) {
    const std::uint64_t here = machine_.position();
    std::vector<std::uint64_t> steps;
    const auto most = static_cast<std::size_t>(q_.most);
    for (std::uint64_t p = here; q_.reverse && p-- > 0 && steps.size() < most;)
      if (shown(p)) steps.insert(steps.begin(), p);
    for (std::uint64_t p = std::min(from, here); !q_.reverse && p < here; ++p)
      if (shown(p)) steps.push_back(p);
    if (steps.size() > most) {
      out_.left_out = static_cast<std::int64_t>(steps.size() - most);
      if (shows_end())
        steps.erase(steps.begin(), steps.end() - q_.most);
      else
        steps.resize(most);
    }
    for (const std::uint64_t p : steps) {
      machine_.jump(p + 1);
      out_.steps.push_back(stepper_.last_step());
      bytes_ += size_of(out_.steps.back());
      if (bytes_ > most_bytes)
        return fail(Code::invalid_argument, "these steps are too large for one answer: show fewer than " +
                                                std::to_string(out_.steps.size()) + " at a time");
    }
    machine_.jump(here);
    out_.first = steps.empty() ? static_cast<std::int64_t>(here) : static_cast<std::int64_t>(steps.front());
    out_.end = steps.empty() ? static_cast<std::int64_t>(here) : static_cast<std::int64_t>(steps.back()) + 1;
    out_.position = static_cast<std::int64_t>(here);
    out_.recorded = static_cast<std::int64_t>(machine_.recorded());
    out_.ended = machine_.ended();
    const simt::Dim3 block = machine_.block();
    out_.block = {block.x, block.y, block.z};
    for (std::size_t i = 0; i < machine_.warps(); ++i) out_.warps.push_back(stepper_.warp(i));
    out_.findings = stepper_.findings();
    out_.printed = machine_.printed();
    show_warp(q_.of_last && !out_.steps.empty() ? static_cast<int>(out_.steps.back().warp) : -1);
    if (q_.totals) out_.totals = stepper_.totals();
    if (q_.shared) out_.shared = stepper_.shared();
    if (q_.timeline > 0) {
      const Timeline& line = stepper_.timeline(static_cast<std::size_t>(q_.timeline));
      if (q_.timeline_known != std::vector<std::int64_t>{line.first, line.end}) out_.timeline = line;
    }
    if (q_.state) out_.state = fmt::format("{:016x}", machine_.fingerprint());
    out_.bytes = static_cast<std::int64_t>(machine_.bytes());
    stepper_.find_writers(out_.findings, stop_);
    return {};
  }

  // What is asked of one warp, or of one thread; of this warp unless it is below 0.
  void show_warp(int instead) {
    const int chosen = instead < 0 ? q_.registers : instead;
    if (q_.registers >= 0) {
      const auto warp = static_cast<std::size_t>(chosen);
      out_.registers = stepper_.registers(warp);
      out_.variables = stepper_.variables(warp);
      out_.live = stepper_.live(warp);
    }
    if (q_.thread < 0) return;
    int thread = q_.thread;
    if (instead >= 0) {
      const int lanes = std::bit_width(machine_.warp(static_cast<std::size_t>(instead)).lanes);
      thread = 32 * instead + std::min(thread % 32, std::max(lanes, 1) - 1);
    }
    out_.next_write = stepper_.next_write(thread);
  }

  Stepper& stepper_;
  simt::Stepping& machine_;
  const TraceQuery& q_;
  const std::stop_token stop_;
  Trace& out_;
  std::vector<StopAt> places_;
  std::size_t bytes_ = 0;
};

}  // namespace

struct Tracing::Kept {
  std::string of;  // a hash
  std::int64_t launch = 0;
  std::vector<std::int64_t> block;
  Trace common;  // what all answers about it have
  std::unique_ptr<Stepper> stepper;
};

Tracing::Tracing() = default;
Tracing::~Tracing() = default;
void Tracing::forget() { kept_.reset(); }

Result<Trace> Tracing::answer(const TraceQuery& query, std::stop_token stop) {
  const auto started = std::chrono::steady_clock::now();
  Trace out = kept_->common;
  WW_TRY(Tracer(*kept_->stepper, query, std::move(stop), out).run());
  out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  return out;
}

Result<Trace> Tracing::trace(const Job& job, const TraceQuery& query, compile::Compiler* compiler, std::stop_token stop,
                             std::int64_t launch) {
  WW_TRY(check_query(query));
  std::string of = hash_hex(json::text_of(job));
  if (!kept_ || kept_->of != of || kept_->block != query.block) {
    kept_.reset();
    auto made = std::make_unique<Kept>();
    Outcome compiled;
    const std::string ptx = WW_TRY(ptx_of(job, compiler, compiled));
    made->stepper = WW_TRY(Stepper::begin(job, ptx, query.block));
    made->common.compiler = compiled.compiler;
    made->common.log = compiled.log;
    made->common.kernel = made->stepper->kernel();
    made->common.target = made->stepper->program().target();
    made->of = std::move(of);
    made->block = query.block;
    kept_ = std::move(made);
  }
  kept_->launch = launch;
  return answer(query, std::move(stop));
}

Result<Trace> Tracing::further(std::int64_t launch, const TraceQuery& query, std::stop_token stop) {
  WW_TRY(check_query(query));
  if (!kept_ || launch == 0 || kept_->launch != launch || kept_->block != query.block)
    return fail(Code::not_found, "the launch is not kept");
  return answer(query, std::move(stop));
}

Result<Trace> trace(const Job& job, const TraceQuery& query, compile::Compiler* compiler, std::stop_token stop) {
  return Tracing().trace(job, query, compiler, std::move(stop));
}

}  // namespace ww::sim
