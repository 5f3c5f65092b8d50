// SPDX-License-Identifier: GPL-3.0-or-later
// Measures candidates of the shown run on the run's device, on a background thread, one request at a time. Measurements
// are stored before they are reported. GUI thread.
#pragma once
#include <QList>
#include <QObject>
#include <QString>
#include <stop_token>
#include "session/context.h"
#include "session/latest_job.h"
#include "session/services.h"

namespace ww::widgets {

class Measurer : public QObject {
  Q_OBJECT
 public:
  using Kind = profile::MeasurementKind;  // time, counters, baseline
  explicit Measurer(const Context& context, QObject* parent = nullptr);
  ~Measurer() override;  // cancels a request in progress and waits for it

  QString short_why_not() const;  // for a menu: "needs a GPU"; the sentence is why_not()
  QString why_not() const;        // why nothing can be measured now, one sentence; empty: it can
  bool measuring() const { return measuring_; }
  void start(Kind kind, const QList<std::int64_t>& candidates);  // measured() or problem() follows
  void cancel();

 signals:
  void state_changed();
  void progressed(double fraction, const QString& text);
  void measured(const QString& summary, const QStringList& failures);  // one line per candidate that was not measured
  void problem(const QString& text);

 private:
  void finish(const Result<measure::Done>& done);
  Context context_;
  std::stop_source cancel_;
  bool measuring_ = false;
  LatestJob job_;
};

}  // namespace ww::widgets
