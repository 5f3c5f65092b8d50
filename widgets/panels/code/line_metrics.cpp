// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/line_metrics.h"
#include <QCoreApplication>
#include <algorithm>
#include <map>
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

QString metric_tr(const char* text) { return QCoreApplication::translate("LineMetrics", text); }

struct MetricField {
  const char* id;
  const char* title;
  std::uint64_t evidence::LineCount::*value;
};
constexpr MetricField metric_fields[] = {
    {"warp_instructions", QT_TRANSLATE_NOOP("LineMetrics", "Warp instructions"),
     &evidence::LineCount::warp_instructions},
    {"thread_instructions", QT_TRANSLATE_NOOP("LineMetrics", "Thread instructions"),
     &evidence::LineCount::thread_instructions},
    {"global_sectors", QT_TRANSLATE_NOOP("LineMetrics", "Global sectors"), &evidence::LineCount::global_sectors},
    {"global_requests", QT_TRANSLATE_NOOP("LineMetrics", "Global requests"), &evidence::LineCount::global_requests},
    {"shared_wavefronts", QT_TRANSLATE_NOOP("LineMetrics", "Shared wavefronts"),
     &evidence::LineCount::shared_wavefronts},
    {"bank_conflicts", QT_TRANSLATE_NOOP("LineMetrics", "Bank conflicts"), &evidence::LineCount::bank_conflicts},
    {"divergent_branches", QT_TRANSLATE_NOOP("LineMetrics", "Divergent branches"),
     &evidence::LineCount::divergent_branches}};

void add_metric(std::vector<LineMetric>& list, LineMetric metric) {
  for (const double value : metric.values) metric.most = std::max(metric.most, value);
  if (metric.most > 0) list.push_back(std::move(metric));
}

}  // namespace

std::vector<LineMetric> line_metrics(const evidence::Metrics& metrics) {
  std::vector<LineMetric> list;
  const QString conditions = metric_tr("case \"%1\" on %2").arg(qs(metrics.case_name), qs(metrics.device));
  for (const MetricField& field : metric_fields) {
    LineMetric metric{enum_text(metrics.provenance) + "." + field.id,
                      metric_tr(field.title),
                      enum_text(metrics.provenance),
                      conditions,
                      {},
                      0};
    for (const evidence::LineCount& l : metrics.lines)
      if (l.*field.value > 0) metric.values.insert(l.line, static_cast<double>(l.*field.value));
    add_metric(list, std::move(metric));
  }
  return list;
}

std::vector<LineMetric> line_metrics(const profile::CounterReport& report, const QString& when) {
  std::map<std::string, QHash<int, double>> reasons;
  LineMetric all{"measured.samples", metric_tr("Samples"), metric_tr("measured"), {}, {}, 0};
  for (const profile::KernelCounters& kernel : report.kernels)
    for (const profile::StallSamples& at : kernel.lines)
      for (const auto& [reason, samples] : at.reasons) {
        if (at.line <= 0 || samples == 0) continue;
        all.values[at.line] += static_cast<double>(samples);
        reasons[reason][at.line] += static_cast<double>(samples);
      }
  all.conditions = metric_tr("samples of the program counter, read %1").arg(when);
  std::vector<LineMetric> list;
  for (const auto& [reason, values] : reasons)
    add_metric(list, {"measured.samples." + qs(reason), metric_tr("Samples: %1").arg(qs(reason)), all.provenance,
                      all.conditions, values, 0});
  std::stable_sort(list.begin(), list.end(), [](const LineMetric& a, const LineMetric& b) { return a.most > b.most; });
  std::vector<LineMetric> whole;
  add_metric(whole, std::move(all));
  list.insert(list.begin(), whole.begin(), whole.end());
  return list;
}

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
