// SPDX-License-Identifier: Apache-2.0
#include "measure/hot_lines.h"
#include <algorithm>
#include <fmt/format.h>
#include "measure/stalls.h"

namespace ww::measure {
namespace {

constexpr std::string_view samples_id = "measured.samples";

struct MetricField {
  std::string_view id, title;
  std::uint64_t evidence::LineCount::*value;
};
constexpr MetricField metric_fields[] = {
    {"warp_instructions", "Warp instructions", &evidence::LineCount::warp_instructions},
    {"thread_instructions", "Thread instructions", &evidence::LineCount::thread_instructions},
    {"global_sectors", "Global sectors", &evidence::LineCount::global_sectors},
    {"global_requests", "Global requests", &evidence::LineCount::global_requests},
    {"shared_wavefronts", "Shared wavefronts", &evidence::LineCount::shared_wavefronts},
    {"bank_conflicts", "Bank conflicts", &evidence::LineCount::bank_conflicts},
    {"divergent_branches", "Divergent branches", &evidence::LineCount::divergent_branches}};

void add_metric(std::vector<LineMetric>& list, LineMetric metric) {
  for (const auto& [line, value] : metric.values) metric.most = std::max(metric.most, value);
  if (metric.most > 0) list.push_back(std::move(metric));
}

}  // namespace

std::vector<LineMetric> line_metrics(const evidence::Metrics& metrics) {
  std::vector<LineMetric> list;
  for (const MetricField& field : metric_fields) {
    LineMetric metric{fmt::format("{}.{}", enum_name(metrics.provenance), field.id),
                      std::string(field.title),
                      metrics.provenance,
                      fmt::format("case \"{}\" on {}", metrics.case_name, metrics.device),
                      {},
                      0};
    for (const evidence::LineCount& l : metrics.lines)
      if (l.*field.value > 0) metric.values[l.line] = static_cast<double>(l.*field.value);
    add_metric(list, std::move(metric));
  }
  return list;
}

std::vector<LineMetric> line_metrics(const profile::CounterReport& report, const std::string& when) {
  const LineMetric none{
      std::string(samples_id), "Samples", Provenance::measured, "samples of the program counter, read " + when, {}, 0};
  LineMetric all = none;
  std::map<std::string, LineMetric> by_reason;
  for (const profile::KernelCounters& kernel : report.kernels)
    for (const profile::StallSamples& at : kernel.lines)
      for (const auto& [reason, samples] : at.reasons) {
        if (at.line <= 0 || samples == 0) continue;
        all.values[at.line] += static_cast<double>(samples);
        LineMetric& one = by_reason.try_emplace(reason, none).first->second;
        one.values[at.line] += static_cast<double>(samples);
      }
  std::vector<LineMetric> reasons, list;
  for (auto& [reason, metric] : by_reason) {
    metric.id += "." + reason;
    metric.title += ": " + reason;
    add_metric(reasons, std::move(metric));
  }
  std::ranges::stable_sort(reasons, std::greater(), &LineMetric::most);
  add_metric(list, std::move(all));
  std::ranges::move(reasons, std::back_inserter(list));
  return list;
}

std::vector<LineMetric> metrics_by_line(const CandidateProfile& view) {
  std::vector<LineMetric> list;
  if (view.counters) list = line_metrics(*view.counters, view.counters_when);
  const std::string front = std::string(samples_id) + ".";
  std::erase_if(
      list, [&](const LineMetric& m) { return m.id.starts_with(front) && stall_is_none(m.id.substr(front.size())); });
  for (LineMetric& m : list)
    if (m.id.starts_with(front)) m.title = "Samples: " + stall_title(m.id.substr(front.size()));
  if (view.record.verdict && view.record.verdict->metrics)
    std::ranges::move(line_metrics(*view.record.verdict->metrics), std::back_inserter(list));
  return list;
}

std::vector<HotLine> hot_lines(const CandidateProfile& view, const LineMetric& metric) {
  std::vector<HotLine> list;
  double total = 0, so_far = 0;
  for (const auto& [line, amount] : metric.values) {
    total += amount;
    list.push_back({line, amount, 0, 0, source_line(view.record.text, line), {}});
  }
  if (metric.id == samples_id)
    for (const StallLine& s : stall_lines(view))
      if (const auto at = std::ranges::find(list, s.line, &HotLine::line); at != list.end()) at->mostly = s.main;
  std::ranges::stable_sort(list, std::greater(), &HotLine::amount);  // they are in the order of the text
  for (HotLine& l : list) {
    l.share = l.amount / total;
    l.cumulative = so_far += l.share;
  }
  return list;
}

std::string source_line(const std::string& text, int line) {
  std::size_t begin = line > 0 ? 0 : std::string::npos;
  for (int i = 1; i < line && begin != std::string::npos; ++i)
    if (begin = text.find('\n', begin); begin != std::string::npos) ++begin;
  if (begin == std::string::npos) return {};
  const std::string whole = text.substr(begin, text.find('\n', begin) - begin);
  const std::size_t first = whole.find_first_not_of(" \t\r\f\v");
  return first == std::string::npos ? "" : whole.substr(first, whole.find_last_not_of(" \t\r\f\v") + 1 - first);
}

}  // namespace ww::measure
