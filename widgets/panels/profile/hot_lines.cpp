// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/hot_lines.h"
#include <algorithm>
#include <QCoreApplication>
#include <QStringList>
#include "panels/profile/stall_reasons.h"
#include "parts/theme/text.h"

namespace ww::widgets {

std::vector<LineMetric> metrics_by_line(const ProfileView& view) {
  std::vector<LineMetric> list;
  const QString front = QStringLiteral("measured.samples.");
  if (view.counters)
    for (LineMetric& m : line_metrics(*view.counters, qs(view.counters_when))) {
      const std::string reason = m.id.mid(front.size()).toStdString();
      if (m.id.startsWith(front) && stall_is_none(reason)) continue;
      if (m.id.startsWith(front))
        m.title = QCoreApplication::translate("HotLines", "Samples: %1").arg(stall_title(reason));
      list.push_back(std::move(m));
    }
  if (view.record.verdict && view.record.verdict->metrics)
    for (LineMetric& m : line_metrics(*view.record.verdict->metrics)) list.push_back(std::move(m));
  return list;
}

QList<HotLine> hot_lines(const ProfileView& view, const LineMetric& metric) {
  const QStringList text = qs(view.record.text).split('\n');
  QList<HotLine> list;
  double total = 0;
  for (auto at = metric.values.begin(); at != metric.values.end(); ++at) {
    total += at.value();
    list.append({at.key(), at.value(), 0, 0,
                 at.key() > 0 ? text.value(at.key() - 1).trimmed()
                              : QCoreApplication::translate("HotLines", "no line of the text")});
  }
  std::sort(list.begin(), list.end(), [](const HotLine& a, const HotLine& b) {
    return a.amount != b.amount ? a.amount > b.amount : a.line < b.line;
  });
  double so_far = 0;
  for (HotLine& l : list) {
    l.share = l.amount / total;
    l.cumulative = so_far += l.share;
  }
  return list;
}

QString source_line(const std::string& text, int line) {
  if (line < 1) return {};
  std::size_t at = 0;
  for (int i = 1; i < line && at != std::string::npos; ++i) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos || at >= text.size()) return {};
  return qs(text.substr(at, text.find('\n', at) - at)).trimmed();
}

}  // namespace ww::widgets
