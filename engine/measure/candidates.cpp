// SPDX-License-Identifier: Apache-2.0
#include "measure/candidates.h"
#include <fmt/format.h>
#include "base/files.h"
#include "measure/baselines.h"

namespace ww::measure {
namespace {

using profile::MeasurementKind;

constexpr const char* measured_here = "measured";  // the origin of added candidates

class Selection {
 public:
  Selection(store::Workspace& workspace, const Request& request, const std::stop_token& cancel,
            const ProgressHandler& progress)
      : workspace_(workspace), request_(request), cancel_(cancel), progress_(progress) {}

  Result<Done> run() {
    WW_TRY(read());
    if (subjects_.empty()) return std::move(done_);
    Bench bench = WW_TRY(Bench::open(request_.setup, request_.kind == MeasurementKind::baseline, cancel_, progress_));
    if (request_.kind == MeasurementKind::time && subjects_.size() > 1)
      WW_TRY(time_together(bench));
    else
      for (std::size_t i = 0; i < subjects_.size(); ++i) WW_TRY(measure_alone(bench, i));
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

  // Of those that were timed completely; a single remaining one is timed again alone.
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
    if (subjects_.size() > 1) {
      done_.kept = WW_TRY(keep(workspace_, what_, subjects_, m, measured_here));
      return {};
    }
    return subjects_.empty() ? Status() : measure_alone(bench, 0);
  }

  Status measure_alone(Bench& bench, std::size_t i) {
    const Subject& subject = subjects_[i];
    const ProgressHandler part = [&](const Progress& p) {
      if (progress_)
        progress_({(static_cast<double>(i) + p.fraction) / static_cast<double>(subjects_.size()),
                   subjects_.size() > 1 ? fmt::format("{}: {}", subject.label, p.text) : p.text});
    };
    const Result<Counted> m = measure_one(bench, what_, subject, request_, cancel_, part);
    if (!m) {
      // Either the device or worker is at fault, or only this candidate: only the former ends the request.
      const Code code = m.error().code;
      if (code == Code::cancelled || code == Code::unavailable || subjects_.size() == 1) return fail(m.error());
      done_.failed.push_back({subject.candidate, m.error().text()});
      return {};
    }
    if (const std::string& why = m->measurement.subjects.front().why_not; !why.empty())
      done_.failed.push_back({subject.candidate, why});
    for (const MeasurementIds& kept : WW_TRY(keep_one(workspace_, what_, subject, m->measurement, measured_here)))
      done_.kept.push_back(kept);
    return {};
  }

  store::Workspace& workspace_;
  const Request& request_;
  const std::stop_token& cancel_;
  const ProgressHandler& progress_;
  Case what_;
  std::int64_t run_ = 0;
  std::vector<Subject> subjects_;
  Done done_;
};

}  // namespace

Result<Counted> measure_one(Bench& bench, const Case& what, const Subject& subject, const Request& request,
                            const std::stop_token& cancel, const ProgressHandler& progress) {
  if (request.kind == MeasurementKind::counters) return count(bench, what, subject, request.set, cancel, progress);
  if (request.kind != MeasurementKind::baseline)
    return Counted{WW_TRY(time(bench, what, subject, cancel, progress)), {}};
  const op::Library library = WW_TRY(op::Library::load(resources_dir() / "ops"));
  return Counted{WW_TRY(baselines(bench, what, &subject, library, request.torch, cancel, progress)), {}};
}

Result<std::vector<MeasurementIds>> keep_one(store::Workspace& workspace, const Case& what, const Subject& subject,
                                             const profile::Measurement& m, const std::string& origin) {
  const bool others = m.kind == MeasurementKind::baseline && reference_of(m);  // were timed
  if (!m.subjects.front().why_not.empty() && !others) return std::vector<MeasurementIds>();
  return keep(workspace, what, {subject}, m, origin);
}

Result<Done> measure(store::Workspace& workspace, const Request& request, const std::stop_token& cancel,
                     const ProgressHandler& progress) {
  return Selection(workspace, request, cancel, progress).run();
}

}  // namespace ww::measure
