// SPDX-License-Identifier: Apache-2.0
#include "measure/candidates.h"
#include <fmt/format.h>
#include "base/files.h"
#include "measure/baselines.h"

namespace ww::measure {
namespace {

using profile::MeasurementKind;

class Selection {
 public:
  Selection(store::Workspace& workspace, const Request& request, const std::stop_token& cancel,
            const ProgressHandler& progress)
      : workspace_(workspace), request_(request), cancel_(cancel), progress_(progress) {}

  Result<Done> run() {
    WW_TRY(read());
    if (subjects_.empty()) return std::move(done_);
    const bool baselines = request_.kind == MeasurementKind::baseline;
    Bench bench = WW_TRY(Bench::open(request_.setup, baselines, cancel_, progress_));
    if (baselines) library_ = WW_TRY(op::Library::load(resources_dir() / "ops"));
    if (request_.kind == MeasurementKind::time && subjects_.size() > 1)
      WW_TRY(time_together(bench));
    else
      for (std::size_t i = 0; i < subjects_.size(); ++i) WW_TRY(measure_one(bench, i));
    return std::move(done_);
  }

 private:
  Status read() {
    for (const std::int64_t id : request_.candidates) {
      Stored stored = WW_TRY(stored_subject(workspace_, WW_TRY(workspace_.candidate(id))));
      if (subjects_.empty())
        what_ = std::move(stored.what), run_ = stored.run.id;
      else if (stored.run.id != run_)
        return fail(Code::invalid_argument, "candidates of several runs cannot be measured together");
      subjects_.push_back(std::move(stored.subject));
    }
    return {};
  }

  Status keep_of(const std::vector<Subject>& of, const profile::Measurement& m) {
    for (const Kept& kept : WW_TRY(keep(workspace_, what_, of, m, "measured"))) done_.kept.push_back(kept);
    return {};
  }

  // Of those that were timed to the end; a single one that remains is timed again alone.
  Status time_together(Bench& bench) {
    profile::Measurement m = WW_TRY(compare(bench, what_, subjects_, cancel_, progress_));
    std::vector<Subject> timed;
    for (std::size_t i = 0; i < subjects_.size(); ++i) {
      if (m.subjects[i].why_not.empty())
        timed.push_back(subjects_[i]);
      else
        done_.failed.push_back({subjects_[i].candidate, m.subjects[i].why_not});
    }
    subjects_ = std::move(timed);
    if (subjects_.size() > 1) return keep_of(subjects_, m);
    return subjects_.empty() ? Status() : measure_one(bench, 0);
  }

  Status measure_one(Bench& bench, std::size_t i) {
    const Subject& subject = subjects_[i];
    const ProgressHandler part = [&](const Progress& p) {
      if (progress_)
        progress_({(static_cast<double>(i) + p.fraction) / static_cast<double>(subjects_.size()),
                   subjects_.size() > 1 ? fmt::format("{}: {}", subject.label, p.text) : p.text});
    };
    const Result<profile::Measurement> m = measured(bench, subject, part);
    if (!m) {
      // The device or the worker may be at fault, or this candidate alone: only the former ends the request.
      const Code code = m.error().code;
      if (code == Code::cancelled || code == Code::unavailable || subjects_.size() == 1) return fail(m.error());
      done_.failed.push_back({subject.candidate, m.error().text()});
      return {};
    }
    const profile::MeasuredSubject& s = m->subjects.front();
    if (!s.why_not.empty()) {
      done_.failed.push_back({subject.candidate, s.why_not});
      if (m->kind != MeasurementKind::baseline || !reference_of(*m)) return {};
    }
    return keep_of({subject}, *m);
  }

  Result<profile::Measurement> measured(Bench& bench, const Subject& subject, const ProgressHandler& progress) {
    switch (request_.kind) {
      case MeasurementKind::counters: {
        Counted counted = WW_TRY(count(bench, what_, subject, request_.set, cancel_, progress));
        return std::move(counted.measurement);
      }
      case MeasurementKind::baseline:
        return baselines(bench, what_, &subject, *library_, request_.torch, cancel_, progress);
      case MeasurementKind::time:
      case MeasurementKind::compare: break;
    }
    return time(bench, what_, subject, cancel_, progress);
  }

  store::Workspace& workspace_;
  const Request& request_;
  const std::stop_token& cancel_;
  const ProgressHandler& progress_;
  Case what_;
  std::int64_t run_ = 0;
  std::vector<Subject> subjects_;
  std::optional<op::Library> library_;
  Done done_;
};

}  // namespace

Result<Done> measure(store::Workspace& workspace, const Request& request, const std::stop_token& cancel,
                     const ProgressHandler& progress) {
  return Selection(workspace, request, cancel, progress).run();
}

}  // namespace ww::measure
