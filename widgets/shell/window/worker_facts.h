// SPDX-License-Identifier: GPL-3.0-or-later
// The worker's report for the shown run, for the status bar. Read off the GUI thread.
#pragma once
#include <QObject>
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct WorkerFacts {
  QString device, device_tip;      // "cuda:0, NVIDIA H200"
  QString worker, worker_tip;      // "sandboxed"
  QString counters, counters_tip;  // "counters allowed"
};
// `worker` is JSON for rpc::worker_report(); missing facts read "not known".
WorkerFacts read_facts(const std::string& worker, const QString& device);

class WorkerFactsLoader : public QObject {
  Q_OBJECT
 public:
  WorkerFactsLoader(const Context& context, QObject* parent);

 signals:
  void loaded(const ww::widgets::WorkerFacts& facts);

 private:
  void load();
  Context context_;
  std::int64_t run_ = 0;
  bool known_ = false;
  LatestJob job_;
};

}  // namespace ww::widgets
