// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers of the shown run's accepted candidates, by metric. *Measured*, *simulated* and *modelled* numbers are
// separate metrics, and titles name the provenance. Verdicts are read off the GUI thread, in batches, when a panel
// needs them.
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
  static constexpr const char* score = "score";  // a key that every run has; the score's title names its kind
  static constexpr const char* registers = "registers";
  MetricTable(const Context& context, QObject* parent);
  void want();                                                     // call from a visible panel: continues reading
  const std::vector<Metric>& metrics() const { return metrics_; }  // those that some candidate has; the table's first
  const Metric* find(const QString& key) const;
  double value(const CandidateModel::Row& row, const QString& key) const;  // NaN: it has none
  int unread() const;                                                      // accepted candidates with unread verdicts

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
