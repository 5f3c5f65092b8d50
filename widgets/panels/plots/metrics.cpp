// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/metrics.h"
#include <QElapsedTimer>
#include <cmath>
#include <limits>
#include "evidence/metric.h"
#include "parts/theme/text.h"
#include "session/metric_texts.h"

namespace ww::widgets {

namespace {

constexpr double metric_unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t metric_slice = 512;  // verdicts that are read at a time, at most,
constexpr qint64 metric_slice_ms = 150;    // and for so long

// Of a verdict's metrics; an empty title: it is no quantity of the candidate.
Metric metric_of(const std::string& name, Provenance provenance) {
  const QString from = enum_text(provenance);
  Metric m;
  m.key = from + " " + qs(name);
  if (name == evidence::metric::samples || name == "launches") return m;
  const std::pair<std::string_view, QString> times[] = {
      {evidence::metric::median_us, MetricTable::tr("median time, cold L2 cache")},
      {evidence::metric::q1_us, MetricTable::tr("lower quartile of the time, cold L2 cache")},
      {evidence::metric::q3_us, MetricTable::tr("upper quartile of the time, cold L2 cache")},
      {evidence::metric::median_warm_us, MetricTable::tr("median time, warm L2 cache")}};
  for (const auto& [known, title] : times)
    if (name == known) m.title = MetricTable::tr("%1 (µs, %2)").arg(title, from);
  if (!m.title.isEmpty()) return m;
  QString words = qs(name);
  if (provenance == Provenance::simulated) words.replace('_', ' ');
  m.title = MetricTable::tr("%1 (%2)").arg(words, from);
  m.higher_is_better = evidence::better_of(name) == evidence::Better::higher;
  return m;
}

}  // namespace

MetricTable::MetricTable(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, &MetricTable::forget);
  forget();
}

void MetricTable::forget() {
  job_.forget();
  read_.clear();
  metrics_.clear();
  by_key_.clear();
  run_ = 0;
  intern({score, tr("cost"), false});
  intern({registers, tr("registers per thread (modelled by the assembler)"), false});
  intern({"spilled", tr("spilled registers, bytes stored and loaded (modelled by the assembler)"), false});
  intern({"shared", tr("shared memory per block, bytes (modelled)"), false});
  intern({"occupancy", tr("theoretical occupancy, % (modelled)"), true});
}

int MetricTable::intern(const Metric& metric) {
  const auto it = by_key_.constFind(metric.key);
  if (it != by_key_.constEnd()) return *it;
  const int at = static_cast<int>(metrics_.size());
  metrics_.push_back(metric);
  by_key_.insert(metric.key, at);
  return at;
}

const Metric* MetricTable::find(const QString& key) const {
  const int at = by_key_.value(key, -1);
  return at < 0 ? nullptr : &metrics_[static_cast<std::size_t>(at)];
}

void MetricTable::refresh_score() {
  for (const CandidateModel::Row& row : context_.candidates->rows()) {
    if (!row.data.score) continue;
    const appraisal::Score& score = *row.data.score;
    metrics_.front().title = score.provenance == Provenance::measured
                                 ? tr("time (%1, %2)").arg(qs(score.unit), enum_text(score.provenance))
                                 : unit_text(score);
    return;
  }
}

void MetricTable::take(std::int64_t candidate, const evidence::Metrics* metrics) {
  Values values;
  if (metrics) {
    for (const auto& [name, value] : metrics->values) {
      const Metric m = metric_of(name, metrics->provenance);
      if (!m.title.isEmpty() && std::isfinite(value)) values.emplace_back(intern(m), value);
    }
    if (metrics->floor)
      values.emplace_back(intern({"modelled floor_us", tr("floor of the roofline (µs, modelled)"), false}),
                          metrics->floor->us);
  }
  read_.insert_or_assign(candidate, std::move(values));
}

void MetricTable::want() {
  refresh_score();
  auto workspace = context_.session->workspace();
  if (!workspace || job_.busy()) return;
  std::vector<std::int64_t> some;
  for (const CandidateModel::Row& row : context_.candidates->rows()) {
    if (row.data.state != store::CandidateState::accepted || read_.contains(row.data.id)) continue;
    some.push_back(row.data.id);
    if (some.size() == metric_slice) break;
  }
  if (some.empty()) return;
  job_.submit([this, some, workspace]() -> LatestJob::Deliver {
    auto found = std::make_shared<std::vector<std::pair<std::int64_t, std::optional<evidence::Metrics>>>>();
    QElapsedTimer since;
    since.start();
    for (const std::int64_t id : some) {
      if (since.elapsed() > metric_slice_ms) break;
      found->emplace_back(id, std::nullopt);
      if (auto record = workspace->candidate(id); record && record->verdict && record->verdict->metrics) {
        found->back().second = std::move(record->verdict->metrics);
        found->back().second->lines.clear();
      }
    }
    return [this, found] {
      for (const auto& [id, metrics] : *found) take(id, metrics ? &*metrics : nullptr);
      emit changed();
    };
  });
}

int MetricTable::unread() const {
  int n = 0;
  for (const CandidateModel::Row& row : context_.candidates->rows())
    n += row.data.state == store::CandidateState::accepted && !read_.contains(row.data.id);
  return n;
}

double MetricTable::value(const CandidateModel::Row& row, const QString& key) const {
  const int at = by_key_.value(key, -1);
  if (at < 0) return metric_unknown;
  switch (at) {
    case 0: return row.data.score ? row.data.score->value : metric_unknown;
    case 1: return context_.candidates->registers(row);
    case 2: return context_.candidates->spilled(row);
    case 3: return context_.candidates->shared_bytes(row);
    case 4: return context_.candidates->occupancy(row) * 100;
    default: break;
  }
  const auto it = read_.find(row.data.id);
  if (it == read_.end()) return metric_unknown;
  for (const auto& [metric, value] : it->second)
    if (metric == at) return value;
  return metric_unknown;
}

}  // namespace ww::widgets
