// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/result_text.h"
#include <cmath>
#include "parts/theme/text.h"
#include "session/metric_texts.h"

namespace ww::widgets {

namespace {

bool comparable(const explore::CandidateRow& a, const explore::CandidateRow& b) {
  return a.score->unit == b.score->unit && a.score->provenance == b.score->provenance && b.score->value > 0;
}

QString named(const explore::CandidateRow& row) {
  const QString structure = qs(row.structure);
  return "#" + QString::number(row.id) + (structure.isEmpty() ? QString() : " " + structure);
}

QString times(const explore::CandidateRow& slower, const explore::CandidateRow& best) {
  const double ratio = slower.score->value / best.score->value;
  return QString::number(ratio, 'f', ratio < 10 ? 2 : 1) + QStringLiteral(" \u00d7");
}

}  // namespace

RunResult result_of(const std::vector<CandidateModel::Row>& rows) {
  RunResult result;
  const auto better = [](const explore::CandidateRow& a, const explore::CandidateRow& b) {
    return std::pair(*a.rank, a.score->value) < std::pair(*b.rank, b.score->value);
  };
  for (const CandidateModel::Row& row : rows)
    if (row.data.rank && row.data.score && row.data.score->value > 0 && !row.trashed &&
        (!result.best || better(row.data, *result.best)))
      result.best = &row.data;
  if (!result.best) return result;
  for (const CandidateModel::Row& row : rows) {
    const explore::CandidateRow& r = row.data;
    if (row.trashed || r.state != store::CandidateState::accepted || !r.score || !comparable(*result.best, r)) continue;
    const bool tied = &r != result.best && r.rank == result.best->rank;
    if (tied) result.ties.push_back(r.id);
    if (!result.earliest || r.id < result.earliest->id) result.earliest = &r;
    if (tied) continue;
    if (r.structure != result.best->structure && (!result.next || r.score->value < result.next->score->value))
      result.next = &r;
  }
  if (result.earliest == result.best || result.earliest == result.next ||
      (result.earliest && result.earliest->rank == result.best->rank))
    result.earliest = nullptr;
  return result;
}

QString result_text(const RunResult& result, const QString& reason, bool running, const QString& unconfirmed) {
  if (!unconfirmed.isEmpty()) return unconfirmed + ". " + result_text(result, reason, running);
  if (!result.best) return {};
  const bool time = result.best->score->provenance == Provenance::measured;
  const auto tr = [](const char* text) { return CandidateModel::tr(text); };
  const QString better = time ? tr("faster") : tr("cheaper");
  QString how = CandidateModel::title_words(*result.best);  // first: the end of a long sentence is cut
  if (how == qs(result.best->structure)) how.clear();
  if (how.size() > 1 && how[1].isLower()) how[0] = how[0].toLower();
  QString text =
      (running ? tr("Best so far: %1%2, %3") : tr("Best: %1%2, %3"))
          .arg(named(*result.best), how.isEmpty() ? QString() : tr(" (%1)").arg(how), score_text(*result.best->score));
  // What limits it comes early, since the end may be cut.
  if (result.best->proved_at == evidence::ProvedAt::smaller_shapes)
    text += tr(" (proved and counted at smaller shapes only: the requested one is too large for the device)");
  else if (result.best->partial())
    text += tr(" (proved at %1 of the %2 cases)").arg(result.best->cases->proved).arg(result.best->cases->all);
  if (const QString ties = ties_text(*result.best, result.ties); !ties.isEmpty()) text += ", " + ties;
  if (result.next) text += tr(": %1 %2 than %3").arg(times(*result.next, *result.best), better, named(*result.next));
  if (!reason.isEmpty()) text += ". " + (reason.endsWith('.') ? reason.chopped(1) : reason);
  if (result.earliest)
    text += (!reason.isEmpty() ? tr(". %1 %2 than %3, the first proved")
             : result.next     ? tr(", %1 %2 than %3, the first proved")
                               : tr(": %1 %2 than %3, the first proved"))
                .arg(times(*result.earliest, *result.best), better, named(*result.earliest));
  return result.best->imported ? tr("Imported, not judged here. %1").arg(text) : text;
}

QString ties_text(const explore::CandidateRow& best, const std::vector<std::int64_t>& ties) {
  constexpr std::size_t most_named = 3;
  if (ties.empty() || !best.score) return {};
  QString names;
  for (std::size_t i = 0; i < ties.size() && i < most_named; ++i) {
    const bool last = i + 1 == ties.size();
    names += (i == 0 ? QString() : last ? CandidateModel::tr(" and ") : QString(", ")) + "#" + QString::number(ties[i]);
  }
  if (ties.size() > most_named) names += CandidateModel::tr(" and %1 more").arg(ties.size() - most_named);
  return (best.score->provenance == Provenance::measured ? CandidateModel::tr("as fast as %1")
                                                         : CandidateModel::tr("as cheap as %1"))
      .arg(names);
}

static QString roof_text(long percent) {
  const QString text = CandidateModel::tr("It reaches %1 % of its roofline").arg(percent);
  return percent <= 100 ? text
                        : text + CandidateModel::tr(" (more than 100 %: the roof was measured, too, and both vary)");
}

QString reason_text(const measure::WhyBetter& why) {
  const auto tr = [](const char* text) { return CandidateModel::tr(text); };
  QString fell;
  if (why.metric) {
    const measure::ProfileMetric& m = why.metric->better;
    const QString title = qs(m.title), other = metric_value(why.metric->other, m.unit);
    fell = m.value > 0 ? tr("%1: %2 instead of %3").arg(title, metric_value(m.value, m.unit), other)
                       : tr("%1: none instead of %2").arg(title, other);
  }
  QStringList sentences;
  if (why.loads) {
    const QString times = QString::number(why.loads->other, 'f', why.loads->other < 10 ? 1 : 0);
    sentences += why.loads->row == search::RowPlace::unknown
                     ? tr("It loads its inputs once, the other one %1 times their size").arg(times)
                     : tr("The row stays in %1, so it is loaded once; the other one loads %2 times the inputs' size")
                           .arg(qs(enum_string(why.loads->row)), times);
  }
  if (why.cost) {
    const bool trade = why.cost->dearer != profile::CostGroup::unknown;
    const QString share = why.cost->share < 0.995 ? tr("%1 % of the difference").arg(std::lround(100 * why.cost->share))
                                                  : tr("All of the difference");
    const QString of = qs(enum_string(why.cost->group));
    QString group = trade ? tr("It saves most in %1").arg(of) : tr("%1 comes from %2").arg(share, of);
    if (!fell.isEmpty()) group += QStringLiteral(" (%1)").arg(fell);
    if (trade) group += tr(" and spends more on %1").arg(qs(enum_string(why.cost->dearer)));
    sentences += group;
  } else if (!fell.isEmpty()) {
    sentences += fell;
  }
  if (why.avoided) {
    QString title = qs(why.avoided->title);
    if (title.size() > 1 && title[1].isLower()) title[0] = title[0].toLower();
    sentences += tr("The other one is advised: %1").arg(title);
  }
  if (why.roof_percent) sentences += roof_text(std::lround(*why.roof_percent));
  return sentences.isEmpty() ? QString() : sentences.join(". ") + ".";
}

}  // namespace ww::widgets
