// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/access_hints.h"
#include <QCoreApplication>
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString metric_tr(const char* text) { return QCoreApplication::translate("LineMetrics", text); }

}  // namespace

QHash<int, AccessHint> access_hints(const evidence::Metrics& metrics) {
  QHash<int, AccessHint> hints;
  for (const evidence::LineCount& l : metrics.lines) {
    if (l.global_requests == 0) continue;
    AccessHint hint;
    const double requests = static_cast<double>(l.global_requests), sectors = static_cast<double>(l.global_sectors),
                 bytes = static_cast<double>(l.global_bytes);
    hint.sectors_per_request = sectors / requests;
    const QString number = QString::number(hint.sectors_per_request, 'g', 3);
    QString meaning;
    if (bytes > 0 && sectors > 0) {
      const double moved = 32 * sectors / bytes;  // bytes that are moved for each byte that a thread asks for
      using enum AccessHint::Pattern;
      hint.pattern = moved <= 0.5 ? broadcast : moved < 1.3 ? coalesced : moved < 2 ? partly : strided;
      switch (hint.pattern) {
        case broadcast:
          hint.word = metric_tr("broadcast"), meaning = metric_tr("several threads of a warp read the same bytes");
          break;
        case coalesced:
          hint.word = metric_tr("coalesced"),
          meaning = metric_tr("neighbouring threads access neighbouring bytes: no traffic is wasted");
          break;
        case partly: hint.word = metric_tr("partly"), meaning = metric_tr("some of the traffic is wasted"); break;
        default:
          hint.word = metric_tr("strided"),
          meaning = metric_tr("threads of a warp access scattered bytes: most of the traffic is wasted");
          break;
      }
      meaning += metric_tr(" (%1 bytes moved for each byte asked for)").arg(QString::number(moved, 'g', 3));
    }
    hint.word = (hint.word + " " + number).trimmed();
    hint.tip =
        metric_tr("%1 sectors of 32 bytes per request of global memory: %2 sectors, %3 requests, %4 (%5, case \"%6\")")
            .arg(number, count_text(sectors), count_text(requests),
                 bytes > 0 ? metric_tr("%1 bytes asked for").arg(count_text(bytes)) : metric_tr("bytes not counted"),
                 enum_text(metrics.provenance), qs(metrics.case_name));
    if (!meaning.isEmpty()) hint.tip += "\n" + hint.word.section(' ', 0, 0) + ": " + meaning;
    hints.insert(l.line, hint);
  }
  return hints;
}

}  // namespace ww::widgets
