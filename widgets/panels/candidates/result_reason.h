// SPDX-License-Identifier: GPL-3.0-or-later
// Why the run's best candidate beats the next kind of kernel, and how close it is to its roofline: from both profiles,
// on a background thread. GUI thread.
#pragma once
#include <QObject>
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct RunResult;

class ResultReason : public QObject {
  Q_OBJECT
 public:
  explicit ResultReason(const Context& context, QObject* parent = nullptr);
  void look(const RunResult& result);            // reads the profiles if the two candidates have changed
  void look_again();                             // after a measurement
  const QString& text() const { return text_; }  // empty: unknown

 signals:
  void changed();

 private:
  void read();
  Context context_;
  std::int64_t best_ = 0, next_ = 0;
  QString text_;
  LatestJob job_;
};

}  // namespace ww::widgets
