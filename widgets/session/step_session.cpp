// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/step_session.h"
#include <algorithm>
#include <utility>
#include "parts/theme/text.h"
#include "rpc/simulate.h"

namespace ww::widgets {

namespace {

constexpr std::int64_t recorded_at_first = 300'000;  // steps
constexpr std::int64_t timeline_parts = 400;

struct Whose {
  int warp = -1, lane = 0;
};

sim::TraceQuery completed(sim::TraceQuery query, const StepLaunch& launch, const Whose& whose) {
  const std::vector<std::int64_t>& block = launch.prepared.job.block;
  std::int64_t threads = 1;
  for (const std::int64_t n : block) threads *= n;
  query.block = launch.block;
  query.most = 1;
  query.of_last = whose.warp < 0;
  query.registers = std::clamp(whose.warp, 0, static_cast<int>((threads + 31) / 32) - 1);
  query.thread = static_cast<int>(std::min<std::int64_t>(32 * query.registers + whose.lane, threads - 1));
  query.totals = true;
  query.timeline = timeline_parts;
  return query;
}

// To a position, with the step that led there.
sim::TraceQuery query_for(std::int64_t position) {
  sim::TraceQuery query;
  query.from = std::max<std::int64_t>(0, position - 1);
  query.to = position;
  return query;
}

sim::TraceQuery query_for(const StepStart& start, const stepping::Prepared& prepared) {
  if (!start.failure) {
    sim::TraceQuery query = query_for(start.position);
    query.state = !start.state.empty();
    return query;
  }
  sim::TraceQuery query;
  const std::optional<sim::StopAt> wrong = stepping::where_wrong(*start.failure, prepared);
  query.until = wrong ? *wrong : sim::StopAt{sim::StopKind::end};
  query.last = wrong.has_value();
  return query;
}

constexpr qsizetype most_lines = 6;  // of what a compiler says: the kernel itself should stay in sight

QString shortened(const std::string& text) {
  const QStringList lines = qs(text).split('\n');
  if (lines.size() <= most_lines) return lines.join('\n');
  return lines.first(most_lines).join('\n') + '\n' + StepSession::tr("%1 further lines").arg(lines.size() - most_lines);
}

}  // namespace

// Of the background thread: the worker, and the request about the launch that it keeps.
struct StepTracer {
  rpc::Supervisor worker;
  std::shared_ptr<const StepLaunch> of;
  rpc::TraceRequest request;

  Result<sim::Trace> trace(const std::shared_ptr<const StepLaunch>& launch, const sim::TraceQuery& query,
                           const std::stop_token& stop) {
    if (of != launch) request.job = launch->prepared.job;
    of = launch;
    request.query = query;
    return worker.trace(request, stop);
  }
  // A warp below 0: the registers are those of the warp that made the last step.
  Result<sim::Trace> trace(const std::shared_ptr<const StepLaunch>& launch, const sim::TraceQuery& query,
                           const Whose& whose, const std::stop_token& stop) {
    return trace(launch, completed(query, *launch, whose), stop);
  }
};

StepSession::StepSession(QObject* parent) : QObject(parent), tracer_(std::make_shared<StepTracer>()) {}

StepSession::~StepSession() { stop_.request_stop(); }

void StepSession::cancel() { stop_.request_stop(); }

void StepSession::set_busy(bool busy) {
  if (std::exchange(busy_, busy) != busy) emit busy_changed();
}

void StepSession::open(const stepping::SteppedLaunch& subject, const StepStart& start) {
  stop_.request_stop();
  stop_ = {};
  launch_.reset();
  at_.reset();
  set_busy(true);
  job_.submit([this, subject, start, whose = Whose{warp_, lane_}, stop = stop_.get_token()]() -> LatestJob::Deliver {
    const auto failing = [this](const Error& error) -> LatestJob::Deliver {
      return [this, why = shortened(error.text())] {
        set_busy(false);
        emit failed(why);
      };
    };
    auto launch = std::make_shared<StepLaunch>(StepLaunch{subject, start.block, {}});
    Result<stepping::Prepared> prepared = stepping::prepare(launch->subject, tracer_->worker, stop);
    if (!prepared) return failing(prepared.error());
    if (const int which = start.failure ? stepping::launch_of(*start.failure, prepared->launches) : subject.launch;
        which != subject.launch) {
      launch->subject.launch = which;
      prepared = stepping::prepare(launch->subject, tracer_->worker, stop);
      if (!prepared) return failing(prepared.error());
    }
    launch->prepared = std::move(*prepared);
    const sim::TraceQuery record = [] {
      sim::TraceQuery q;
      q.to = recorded_at_first;
      return q;
    }();
    if (start.failure) {  // in whichever block it is
      sim::TraceQuery all = query_for(start, launch->prepared);
      const Result<sim::Trace> where = tracer_->trace(launch, all, stop);
      if (!where) return failing(where.error());
      if (!where->steps.empty())
        launch->block.assign(where->steps.back().block.begin(), where->steps.back().block.end());
    }
    Result<sim::Trace> trace = tracer_->trace(launch, record, whose, stop);
    if (trace) trace = tracer_->trace(launch, query_for(start, launch->prepared), whose, stop);
    if (!trace) return failing(trace.error());
    const bool missed = start.failure && start.failure->element && trace->arrival == sim::Arrival::ended;
    const bool differs = !start.state.empty() && trace->state != start.state;
    return [this, launch, missed, differs, trace = std::move(*trace)] {
      launch_ = launch;
      at_ = trace;
      set_busy(false);
      emit opened();
      emit arrived();
      if (differs)
        emit failed(tr("The kernel's state here differs from the saved one: another compiler or program made that."));
      if (missed) emit failed(tr("No thread writes the wrong element: it holds what lay there before."));
    };
  });
}

void StepSession::ask(sim::TraceQuery query) {
  if (!launch_) return;
  if (busy_ && runs_) stop_.request_stop();  // it may take long
  if (stop_.stop_requested()) stop_ = {};
  runs_ = query.until.has_value();
  set_busy(true);
  std::optional<sim::Timeline> line = at_ ? at_->timeline : std::nullopt;
  if (line) query.timeline_known = {line->first, line->end};
  job_.submit([this, launch = launch_, query = std::move(query), whose = Whose{warp_, lane_}, line = std::move(line),
               stop = stop_.get_token()]() -> LatestJob::Deliver {
    Result<sim::Trace> trace = tracer_->trace(launch, query, whose, stop);
    if (trace && !trace->timeline) trace->timeline = line;
    return [this, trace = std::move(trace)] {
      set_busy(false);
      if (!trace) {
        if (trace.error().code != Code::cancelled) emit failed(qs(trace.error().text()));
        return;
      }
      const std::optional<sim::Trace> before = std::exchange(at_, *trace);
      // At an end there is no further step: the one that led there stays in sight.
      if (before && at_->steps.empty() && at_->position == before->position) at_->steps = before->steps;
      emit arrived();
    };
  });
}

void StepSession::save(const QString& file, stepping::Moment moment) {
  if (!launch_ || !at_) return;
  if (stop_.stop_requested()) stop_ = {};
  set_busy(true);
  moment.set_subject(launch_->subject);
  moment.binding = launch_->prepared.binding;
  moment.block = launch_->block;
  moment.position = at_->position;
  moment.warp = warp_;
  moment.lane = lane_;
  job_.submit([this, launch = launch_, file, moment = std::move(moment), whose = Whose{warp_, lane_},
               stop = stop_.get_token()]() mutable -> LatestJob::Deliver {
    sim::TraceQuery query = query_for(moment.position);
    query.state = true;
    const Result<sim::Trace> trace = tracer_->trace(launch, query, whose, stop);
    Status written = trace ? Status() : Status(fail(trace.error()));
    if (trace) {
      moment.state = trace->state;
      written = stepping::write_moment(file.toStdString(), moment);
    }
    return [this, file, written] {
      set_busy(false);
      if (written)
        emit saved(file);
      else
        emit failed(tr("The moment was not saved: %1").arg(qs(written.error().text())));
    };
  });
}

void StepSession::go(std::int64_t position) { ask(query_for(position)); }

}  // namespace ww::widgets
