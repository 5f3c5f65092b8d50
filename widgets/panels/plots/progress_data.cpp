// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/plots/progress_data.h"
#include <QDateTime>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr double progress_unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::array progress_ends = {
    "accepted",    "contract", "compile",  "smoke",      "cases",
    "determinism", "measure",  "rejected", "not judged", "duplicate"};  // the gate's stages in their order

const char* progress_end_of(const explore::CandidateRow& row) {
  if (row.state == store::CandidateState::accepted || row.state == store::CandidateState::not_judged ||
      row.state == store::CandidateState::duplicate)
    return enum_name(row.state).data();
  if (row.state != store::CandidateState::rejected) return nullptr;
  if (row.failed_stage) return enum_name(*row.failed_stage).data();
  return "rejected";
}

QString progress_title(const QString& key) {
  if (key == "accepted") return ProgressData::tr("accepted");
  if (key == "not judged") return ProgressData::tr("not judged");
  if (key == "duplicate") return ProgressData::tr("duplicate");
  if (key == "rejected") return ProgressData::tr("rejected");
  return ProgressData::tr("rejected at %1").arg(key);
}

}  // namespace

ProgressData make_progress(const std::vector<CandidateModel::Row>& rows, const RunFacts* facts,
                           const QHash<std::int64_t, double>& arrivals) {
  ProgressData data;
  std::array<int, progress_ends.size()> counts{}, place{};
  std::vector<int> ends(rows.size(), -1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const char* end = progress_end_of(rows[i].data);
    if (!end) {
      ++data.open;
      continue;
    }
    ends[i] = static_cast<int>(std::find_if(progress_ends.begin(), progress_ends.end(),
                                            [&](const char* e) { return std::string_view(e) == end; }) -
                               progress_ends.begin());
    ++counts[static_cast<std::size_t>(ends[i])];
  }
  for (std::size_t e = 0; e < progress_ends.size(); ++e) {
    place[e] = static_cast<int>(data.ends.size());
    if (counts[e] > 0) data.ends.push_back({progress_ends[e], progress_title(progress_ends[e]), counts[e]});
  }
  const QDateTime begin = facts ? QDateTime::fromString(qs(facts->record.created), Qt::ISODateWithMs) : QDateTime();
  const CandidateModel::Row* best_row = nullptr;
  double best = progress_unknown;
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
    a.score = row.state == store::CandidateState::accepted && row.score ? row.score->value : progress_unknown;
    if (!std::isnan(a.score)) {
      if (data.unit.isEmpty()) {
        const QString unit = qs(row.score->unit), provenance = enum_text(row.score->provenance);
        data.unit = unit.contains(provenance) ? unit : QString("%1 (%2)").arg(unit, provenance);
      }
      if (std::isnan(best) || a.score < best) {
        best = a.score;
        best_row = &rows[i];
      }
    }
    a.best = best;
    data.attempts.push_back(a);
  }
  QStringList parts;
  for (const AttemptEnd& e : data.ends)
    parts += QString::number(e.count) + " " +
             (e.key == "duplicate"
                  ? counted(e.count, ProgressData::tr("duplicate"), ProgressData::tr("duplicates")).section(' ', 1)
                  : e.title);
  if (data.open > 0) parts += ProgressData::tr("%1 without a verdict yet").arg(data.open);
  data.summary = counted(static_cast<int>(rows.size()), ProgressData::tr("attempt"), ProgressData::tr("attempts")) +
                 ": " + parts.join(", ") + ".";
  if (best_row)
    data.summary += " " + ProgressData::tr("The best so far is #%1 %2: %3 %4.")
                              .arg(best_row->data.id)
                              .arg(CandidateModel::name_of(best_row->data), count_text(best), data.unit);
  return data;
}

}  // namespace ww::widgets
