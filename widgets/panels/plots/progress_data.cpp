// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/progress_data.h"
#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <limits>
#include "panels/candidates/result_text.h"
#include "parts/theme/text.h"
#include "session/metric_texts.h"

namespace ww::widgets {

namespace {

constexpr double progress_unknown = std::numeric_limits<double>::quiet_NaN();
using ProgressEnd = std::pair<store::CandidateState, std::optional<evidence::Stage>>;

std::vector<ProgressEnd> progress_ends() {  // in the order in which they are drawn
  std::vector<ProgressEnd> ends = {{store::CandidateState::accepted, {}}};
  for (const evidence::Stage stage : evidence::all_stages) ends.emplace_back(store::CandidateState::rejected, stage);
  using enum store::CandidateState;
  for (const store::CandidateState state : {rejected, not_judged, duplicate}) ends.emplace_back(state, std::nullopt);
  return ends;
}

std::optional<ProgressEnd> progress_end_of(const explore::CandidateRow& row) {
  switch (row.state) {
    case store::CandidateState::accepted:
    case store::CandidateState::not_judged:
    case store::CandidateState::duplicate: return ProgressEnd(row.state, std::nullopt);
    case store::CandidateState::rejected: return ProgressEnd(row.state, row.failed_stage);
    default: return std::nullopt;
  }
}

QString progress_title(const ProgressEnd& end) {
  if (end.second) return ProgressData::tr("rejected at %1").arg(enum_text(*end.second));
  switch (end.first) {
    case store::CandidateState::accepted: return ProgressData::tr("proved");
    case store::CandidateState::not_judged: return ProgressData::tr("not judged");
    case store::CandidateState::duplicate: return ProgressData::tr("duplicate");
    default: return ProgressData::tr("rejected");
  }
}

}  // namespace

ProgressData make_progress(const std::vector<CandidateModel::Row>& rows, const RunFacts* facts,
                           const QHash<std::int64_t, double>& arrivals) {
  ProgressData data;
  const std::vector<ProgressEnd> all = progress_ends();
  std::vector<int> counts(all.size()), place(all.size());
  std::vector<int> ends(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::optional<ProgressEnd> end = progress_end_of(rows[i].data);
    if (!end) {
      ++data.open;
      continue;
    }
    ends[i] = static_cast<int>(std::find(all.begin(), all.end(), *end) - all.begin());
    ++counts[static_cast<std::size_t>(ends[i])];
  }
  for (std::size_t e = 0; e < all.size(); ++e) {
    place[e] = static_cast<int>(data.ends.size());
    if (counts[e] > 0) data.ends.push_back({all[e].first, all[e].second, progress_title(all[e]), counts[e]});
  }
  const QDateTime begin = facts ? QDateTime::fromString(qs(facts->record.created), Qt::ISODateWithMs) : QDateTime();
  const CandidateModel::Row* best_row = nullptr;
  std::vector<std::int64_t> ties;  // as good
  double best = progress_unknown;
  int trashed = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const explore::CandidateRow& row = rows[i].data;
    Attempt a;
    a.id = row.id;
    a.end = ends[i] < 0 ? -1 : place[static_cast<std::size_t>(ends[i])];
    a.minutes = arrivals.value(row.id, progress_unknown);
    if (facts && begin.isValid()) {
      if (const auto fact = facts->candidates.find(row.id); fact != facts->candidates.end())
        if (const QDateTime came = QDateTime::fromString(qs(fact->second.created), Qt::ISODateWithMs); came.isValid())
          a.minutes = static_cast<double>(begin.msecsTo(came)) / 60000;
    }
    const bool drawn = row.state == store::CandidateState::accepted && row.score && !rows[i].trashed;
    a.score = drawn ? row.score->value : progress_unknown;
    trashed += rows[i].trashed;
    if (!std::isnan(a.score)) {
      if (data.unit.isEmpty()) {
        data.unit = unit_text(*row.score);
        data.axis = row.score->provenance == Provenance::simulated ? ProgressData::tr("cost") : data.unit;
      }
      if (std::isnan(best) || a.score < best) {
        best = a.score;
        best_row = &rows[i];
        ties.clear();
      } else if (a.score == best) {
        ties.push_back(row.id);
      }
    }
    a.best = best;
    data.attempts.push_back(a);
  }
  QStringList parts;
  for (const AttemptEnd& e : data.ends)
    parts += count_text(e.count) + " " +
             (e.state == store::CandidateState::duplicate
                  ? counted(e.count, ProgressData::tr("duplicate"), ProgressData::tr("duplicates")).section(' ', 1)
                  : e.title);
  if (trashed > 0) parts += ProgressData::tr("%1 of them in the trash and not drawn").arg(trashed);
  if (data.open > 0) parts += ProgressData::tr("%1 without a verdict yet").arg(data.open);
  data.summary = counted(static_cast<int>(rows.size()), ProgressData::tr("attempt"), ProgressData::tr("attempts")) +
                 ": " + parts.join(", ") + ".";
  if (best_row) {
    const QString as_good = ties_text(best_row->data, ties);
    data.summary += " " + ProgressData::tr("The best is #%1 %2%3: %4 %5.")
                              .arg(best_row->data.id)
                              .arg(CandidateModel::name_of(best_row->data),
                                   as_good.isEmpty() ? QString() : ", " + as_good, count_text(best), data.unit);
  }
  return data;
}

}  // namespace ww::widgets
