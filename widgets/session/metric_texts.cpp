// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/metric_texts.h"
#include <QCoreApplication>
#include <QStringList>
#include <cmath>
#include "measure/launch_times.h"
#include "parts/theme/text.h"

namespace ww::widgets {
namespace {

QString metric_tr(const char* text) { return QCoreApplication::translate("ProfileMetric", text); }

QString signed_text(double number, const QString& unit) {
  const QString digits = QString::number(std::abs(number), 'f', std::abs(number) < 10 ? 1 : 0);
  if (digits.toDouble() == 0) return QStringLiteral("±0") + unit;
  return (number < 0 ? QStringLiteral("−") : QStringLiteral("+")) + digits + unit;
}

}  // namespace

QString unit_text(const appraisal::Score& score) {
  const QString unit = qs(score.unit), provenance = enum_text(score.provenance);
  return unit.contains(provenance) ? unit : QString("%1 (%2)").arg(unit, provenance);
}

QString score_text(const appraisal::Score& score) { return count_text(score.value) + " " + unit_text(score); }

QString metric_value(double value, measure::MetricUnit unit) {
  using enum measure::MetricUnit;
  if (!std::isfinite(value)) return {};
  switch (unit) {
    case percent: return QString::number(value, 'f', value > 0 && value < 10 ? 1 : 0) + " %";
    case microseconds: return count_text(value) + " µs";
    case bytes: return bytes_text(static_cast<std::int64_t>(value));
    case flops_per_second:
    case operations_per_second: {
      const QString number = short_count(value);
      return number + (number.contains(' ') ? "" : " ") +
             (unit == flops_per_second ? metric_tr("FLOP/s") : metric_tr("OP/s"));
    }
    case per_byte: return metric_tr("%1 per byte").arg(QString::number(value, 'g', 3));
    case issue_slots: return metric_tr("%1 slots").arg(short_count(value));
    case count: return value < 1000 ? count_text(value) : short_count(value);
  }
  return {};
}

QString percent_text(double fraction, int decimals) {
  return std::isfinite(fraction) ? QString::number(100 * fraction, 'f', decimals) + " %" : dash();
}

QString metric_change(double value, double base, measure::MetricUnit unit) {
  if (!std::isfinite(value) || !std::isfinite(base)) return {};
  if (unit == measure::MetricUnit::percent) return signed_text(value - base, metric_tr(" pp"));
  if (base == 0) return value == 0 ? QStringLiteral("±0 %") : QString();
  const double factor = value / base;
  return factor >= 10 ? QStringLiteral("×") + QString::number(factor, 'f', 0) : signed_text(100 * (factor - 1), " %");
}

const char* change_role(const measure::ProfileMetric& metric, double base) {
  if (metric.better == measure::Better::unknown || !std::isfinite(base) || metric.value == base) return "muted";
  return (metric.value > base) == (metric.better == measure::Better::higher) ? "ok" : "error";
}

QString section_title(profile::Section section) {
  using enum profile::Section;
  switch (section) {
    case speed_of_light: return metric_tr("Speed of light");
    case roofline: return metric_tr("Roofline");
    case memory: return metric_tr("Memory workload");
    case occupancy: return metric_tr("Occupancy");
    case instructions: return metric_tr("Instructions");
    case hot_lines: return metric_tr("Hot lines");
    case stalls: return metric_tr("Stall reasons");
    case launches: return metric_tr("Launches");
  }
  return {};
}

QString time_definitions(const measure::CandidateProfile& view) {
  QStringList lines;
  const auto add = [&](double us, const QString& definition) {
    if (std::isfinite(us)) lines += metric_tr("%1 µs: %2").arg(count_text(us), definition);
  };
  if (view.cold)
    add(view.cold->median,
        metric_tr("median of the whole plan with a cold L2 cache, measured %1; this one is shown and "
                  "ranked by")
            .arg(qs(view.cold->from)));
  if (view.warm)
    add(view.warm->median, metric_tr("the same with a warm L2 cache, measured %1").arg(qs(view.warm->from)));
  for (const measure::TimeView& later : view.measured_later)
    add(later.median, metric_tr("measured again, %1").arg(qs(later.from)));
  const measure::LaunchTimes launches = measure::launch_times(view);
  if (launches.measured())
    add(launches.sum_us,
        metric_tr("sum of the launches while hardware counters ran, measured: at other clocks, excluding gaps"));
  if (view.roofline && std::isfinite(view.roofline->measured.us))
    add(view.roofline->measured.us, metric_tr("the floor at this GPU's measured rates, modelled"));
  return lines.join('\n');
}

}  // namespace ww::widgets
