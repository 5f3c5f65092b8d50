// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the shown run's accepted candidates, by metric. What is *measured*, *simulated* and *modelled* are
// different metrics, and each one's title says which it is. Verdicts are read off the GUI thread, some at a time, when
// a panel needs them.
#pragma once
#include <QHash>
#include <QObject>
#include <QString>
#include <unordered_map>
#include <vector>
#include "session/models/candidate_model.h"
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

struct Metric {
  QString key, title;  // "measured median_us"; "median time, cold L2 cache (µs, measured)"
  bool higher_is_better = false;
};

class MetricTable : public QObject {
  Q_OBJECT
 public:
  static constexpr const char* score = "score";  // keys that every run has; the score's title says what it is
  static constexpr const char* registers = "registers";
  MetricTable(const Context& context, QObject* parent);
  void want();                                                     // by a visible panel: continues reading
  const std::vector<Metric>& metrics() const { return metrics_; }  // that some candidate has; those of the table first
  const Metric* find(const QString& key) const;
  double value(const CandidateModel::Row& row, const QString& key) const;  // NaN: it has none
  int unread() const;  // accepted candidates whose verdicts were not read yet

 signals:
  void changed();

 private:
  using Values = std::vector<std::pair<int, double>>;
  void forget();
  void refresh_score();
  int intern(const Metric& metric);
  void take(std::int64_t candidate, const evidence::Metrics* metrics);
  Context context_;
  std::vector<Metric> metrics_;
  QHash<QString, int> by_key_;
  std::unordered_map<std::int64_t, Values> read_;
  std::int64_t run_ = 0;
  LatestJob job_;
};

}  // namespace ww::widgets
