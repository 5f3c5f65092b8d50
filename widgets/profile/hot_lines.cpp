// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile/hot_lines.h"
#include <algorithm>
#include <map>
#include <QCoreApplication>
#include <QStringList>
#include "profile/stall_reasons.h"

namespace ww::widgets {
namespace {

QString hot_tr(const char* text) { return QCoreApplication::translate("HotLines", text); }

struct SimulatedLine { const char *id, *title; std::uint64_t gate::LineCount::*member; };
constexpr SimulatedLine simulated_lines[] = {
    {"warp_instructions", QT_TRANSLATE_NOOP("HotLines", "Warp instructions"), &gate::LineCount::warp_instructions},
    {"thread_instructions", QT_TRANSLATE_NOOP("HotLines", "Thread instructions"), &gate::LineCount::thread_instructions},
    {"global_sectors", QT_TRANSLATE_NOOP("HotLines", "Sectors of global memory"), &gate::LineCount::global_sectors},
    {"shared_wavefronts", QT_TRANSLATE_NOOP("HotLines", "Wavefronts of shared memory"), &gate::LineCount::shared_wavefronts},
    {"bank_conflicts", QT_TRANSLATE_NOOP("HotLines", "Bank conflicts"), &gate::LineCount::bank_conflicts},
    {"divergent_branches", QT_TRANSLATE_NOOP("HotLines", "Divergent branches"), &gate::LineCount::divergent_branches},
};

std::map<std::string, double> sampled_reasons(const ProfileView& view) {
  std::map<std::string, double> by_reason;
  if (view.counters)
    for (const profile::KernelCounters& k : view.counters->kernels)
      for (const profile::StallSamples& s : k.lines)
        for (const auto& [reason, samples] : s.reasons) by_reason[reason] += static_cast<double>(samples);
  return by_reason;
}

}  // namespace

QList<HotMetric> line_metrics(const ProfileView& view) {
  QList<HotMetric> list;
  const std::map<std::string, double> reasons = sampled_reasons(view);
  if (!reasons.empty()) list.append({"samples", hot_tr("Samples"), QStringLiteral("measured")});
  if (const gate::Metrics* m = view.record.verdict && view.record.verdict->metrics ? &*view.record.verdict->metrics : nullptr)
    for (const SimulatedLine& s : simulated_lines)
      if (std::any_of(m->lines.begin(), m->lines.end(), [&](const gate::LineCount& l) { return l.*s.member > 0; })) list.append({s.id, hot_tr(s.title), QString::fromStdString(m->provenance)});
  for (const auto& [reason, samples] : reasons)
    if (samples > 0 && !stall_is_none(reason)) list.append({"stall." + reason, hot_tr("Samples: %1").arg(stall_title(reason)), QStringLiteral("measured")});
  return list;
}

QList<HotLine> hot_lines(const ProfileView& view, const std::string& metric) {
  std::map<int, double> by_line;
  if (metric == "samples" || metric.starts_with("stall.")) {
    if (view.counters)
      for (const profile::KernelCounters& k : view.counters->kernels)
        for (const profile::StallSamples& s : k.lines)
          for (const auto& [reason, samples] : s.reasons)
            if (metric == "samples" || metric.substr(6) == reason) by_line[s.line] += static_cast<double>(samples);
  } else if (view.record.verdict && view.record.verdict->metrics) {
    for (const SimulatedLine& s : simulated_lines)
      if (metric == s.id)
        for (const gate::LineCount& l : view.record.verdict->metrics->lines) by_line[l.line] += static_cast<double>(l.*s.member);
  }
  const QStringList text = QString::fromStdString(view.record.text).split('\n');
  QList<HotLine> list;
  double total = 0;
  for (const auto& [line, amount] : by_line) {
    total += amount;
    if (amount > 0) list.append({line, amount, 0, 0, line > 0 ? text.value(line - 1).trimmed() : hot_tr("no line of the text")});
  }
  std::stable_sort(list.begin(), list.end(), [](const HotLine& a, const HotLine& b) { return a.amount > b.amount; });
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
  return QString::fromStdString(text.substr(at, text.find('\n', at) - at)).trimmed();
}

}  // namespace ww::widgets
