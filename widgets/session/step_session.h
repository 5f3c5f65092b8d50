// SPDX-License-Identifier: GPL-3.0-or-later
// Steps through a candidate's launch in a worker, off the window's thread. The latest request wins.
#pragma once
#include <QObject>
#include <memory>
#include <optional>
#include <stop_token>
#include "rpc/supervisor.h"
#include "session/latest_job.h"
#include "sim/trace.h"
#include "stepping/moment.h"
#include "stepping/subject.h"

namespace ww::widgets {

struct StepStart {
  std::vector<std::int64_t> block{0, 0, 0};  // empty: all
  std::int64_t position = 0;
  std::string state;                         // its fingerprint, as it should be; empty: not known
  std::optional<evidence::Failure> failure;  // then where that is found, or the wrong element is written last
};
struct StepLaunch {
  stepping::SteppedLaunch subject;
  std::vector<std::int64_t> block;
  stepping::Prepared prepared;
};

struct StepTracer;

class StepSession : public QObject {
  Q_OBJECT
 public:
  explicit StepSession(QObject* parent = nullptr);
  ~StepSession() override;  // cancels the work in progress
  // opened() and arrived(), or failed(), follow. Records the launch's first steps, which are then gone to at once.
  void open(const stepping::SteppedLaunch& subject, const StepStart& start);
  // arrived() or failed() follows, after cancel() only busy_changed(); without a launch nothing happens. Block, `most`
  // and what is told are filled in. A run to a place that is still in progress is cancelled.
  void ask(sim::TraceQuery query);
  void go(std::int64_t position);  // beyond the end: there
  // saved() or failed() follows: the position as a file; what it says of the kernel is filled in.
  void save(const QString& file, stepping::Moment moment);
  void cancel();
  bool busy() const { return busy_; }
  const std::shared_ptr<const StepLaunch>& launch() const { return launch_; }  // null: none
  const std::optional<sim::Trace>& at() const { return at_; }
  int warp() const { return warp_; }
  void set_warp(int warp) { warp_ = warp; }  // whose registers are told from now on; -1: the last step's
  void set_lane(int lane) { lane_ = lane; }  // of it: whose next write is told

 signals:
  void busy_changed();
  void opened();
  void arrived();
  void failed(const QString& why);
  void saved(const QString& file);

 private:
  void set_busy(bool busy);
  std::shared_ptr<StepTracer> tracer_;
  std::stop_source stop_;
  std::shared_ptr<const StepLaunch> launch_;
  std::optional<sim::Trace> at_;
  int warp_ = -1, lane_ = 0;
  bool busy_ = false, runs_ = false;  // runs: to a place, however far it is
  LatestJob job_;                     // last member: ends before the others are destroyed
};

}  // namespace ww::widgets
