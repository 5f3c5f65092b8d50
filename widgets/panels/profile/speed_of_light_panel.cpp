// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/speed_of_light_panel.h"
#include <QComboBox>
#include <QPainter>
#include <QSignalBlocker>
#include <cmath>
#include "base/device_name.h"
#include "session/metric_texts.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

using measure::highest_row;
using measure::has_speed_of_light;
using measure::provenance_text;
using measure::speed_of_light_rows;
using measure::SpeedOfLightKind;
using measure::SpeedOfLightRow;

namespace {

constexpr int advice_shown = 4;

QString light_percent(double percent) {
  return QString::number(percent, 'f', percent > 0 && percent < 10 ? 1 : 0) + " %";
}

int light_words_height(const QString& words, const QFont& font, int width) {
  return words.isEmpty() ? 0 : wrapped_height(words, font, width - 16) + 8;
}

QString light_advice_line(int number, const profile::Advice& a) {
  QString text = QString("%1. %2").arg(number).arg(qs(a.title));
  if (a.gain > 1)
    text += SpeedOfLightPanel::tr(", by itself at most %1 times faster (modelled)").arg(a.gain, 0, 'f', 2);
  if (a.line > 0) text += SpeedOfLightPanel::tr(", line %1").arg(a.line);
  return text;
}

}  // namespace

SpeedOfLightPanel::SpeedOfLightPanel(const Context& context)
    : PaintedPanel(
          context, "speed_of_light_panel", tr("Speed of light"),
          tr("Select a candidate to see how much of the machine it uses: compute, memory and each of its levels.")) {
  kind_ =
      add_choice("light_kind", tr("Kind of numbers"),
                 tr("Measured percentages and simulated shares are not comparable, so one kind is shown at a time"));
  kind_->addItem(tr("Measured: % of the peak"), static_cast<int>(SpeedOfLightKind::measured));
  kind_->addItem(tr("Simulated: % of the cost"), static_cast<int>(SpeedOfLightKind::simulated));
  unit_ = add_choice("light_unit", tr("What the bars show"),
                     tr("Costs can be compared between candidates; shares of each one's own cost cannot"), 8);
  unit_->addItem(tr("Cost"));
  unit_->addItem(tr("Shares"));
  connect(unit_, &QComboBox::currentIndexChanged, this, [this] { refresh(); });
  connect(kind_, &QComboBox::activated, this, [this] {
    chosen_ = true;
    refresh();
  });
}

SpeedOfLightKind SpeedOfLightPanel::kind() const {
  bool any[2] = {false, false};
  for (const auto& view : profiles())
    for (const SpeedOfLightKind k : {SpeedOfLightKind::measured, SpeedOfLightKind::simulated})
      any[static_cast<int>(k)] |= has_speed_of_light(*view, k);
  const auto wanted = static_cast<SpeedOfLightKind>(kind_->currentData().toInt());
  if (chosen_ && any[static_cast<int>(wanted)]) return wanted;
  if (!profiles().empty())
    for (const SpeedOfLightKind k : {SpeedOfLightKind::measured, SpeedOfLightKind::simulated})
      if (has_speed_of_light(*profiles().front(), k)) return k;  // what the current candidate has
  return any[0] ? SpeedOfLightKind::measured : SpeedOfLightKind::simulated;
}

QString SpeedOfLightPanel::why_no_data() const {
  for (const auto& view : profiles())
    if (has_speed_of_light(*view, SpeedOfLightKind::measured) || has_speed_of_light(*view, SpeedOfLightKind::simulated))
      return {};
  const ProfileView& view = *profiles().front();
  return tr("%1: %2").arg(qs(view.name), qs(is_simt(view.device) ? view.cost_why_not : view.counters_why_not));
}

void SpeedOfLightPanel::update_chart() {
  const SpeedOfLightKind now = kind();
  {
    const QSignalBlocker block(kind_);
    kind_->setCurrentIndex(kind_->findData(static_cast<int>(now)));
  }
  bool other = false;
  for (const auto& view : profiles())
    other |= has_speed_of_light(*view, now == SpeedOfLightKind::measured ? SpeedOfLightKind::simulated
                                                                         : SpeedOfLightKind::measured);
  kind_->setVisible(other);
  unit_->setVisible(now == SpeedOfLightKind::simulated);
  PaintedPanel::update_chart();
}

bool SpeedOfLightPanel::absolute() const { return kind() == SpeedOfLightKind::simulated && unit_->currentIndex() == 0; }

double SpeedOfLightPanel::length(const ProfileView& view, double percent) const {
  return absolute() ? percent / 100 * view.cost_total : percent;
}

QString SpeedOfLightPanel::axis() const {
  if (kind() == SpeedOfLightKind::measured) return tr("Percent of the peak");
  if (!absolute()) return tr("Percent of each candidate's own simulated cost");
  for (const auto& view : profiles())
    if (!view->cost_unit.empty()) return capitalised(view->cost_unit) + tr("; shorter is better");
  return tr("Simulated cost; shorter is better");
}

QList<BarRow> SpeedOfLightPanel::bars() const {
  const SpeedOfLightKind now = kind();
  QList<BarRow> rows;
  const auto base_value = [&](const ProfileView& view, const QString& part) {
    if (const ProfileView* base = baseline_of(view); base && has_speed_of_light(*base, now))
      for (const SpeedOfLightRow& row : speed_of_light_rows(*base, now))
        if (qs(row.part) == part) return length(*base, row.percent);
    return profile::unknown;
  };
  for (std::size_t i = 0; i < profiles().size(); ++i) {
    const ProfileView& view = *profiles()[i];
    const int style = series(i);
    for (const SpeedOfLightRow& row : speed_of_light_rows(view, now)) {
      auto at = std::find_if(rows.begin(), rows.end(), [&](const BarRow& b) { return b.label == qs(row.part); });
      if (at == rows.end()) {
        rows.append({qs(row.part), qs(row.about + "\n" + row.from), {}, -1});
        at = rows.end() - 1;
      }
      const bool known = std::isfinite(row.percent);
      const double value = length(view, row.percent);
      const QString words = absolute() ? short_count(value) + "  " + light_percent(row.percent) : light_percent(value);
      at->bars.append({style, value, known ? words : tr("not measured"),
                       metric_change(value, base_value(view, qs(row.part)),
                                     absolute() ? measure::MetricUnit::count : measure::MetricUnit::percent)});
      at->tooltip += QString("\n%1: %2")
                         .arg(short_name(view),
                              known ? QString("%1 (%2)").arg(light_percent(row.percent), qs(provenance_text(row)))
                                    : qs(row.why_not));
    }
    if (has_speed_of_light(view, now)) continue;
    for (BarRow& row : rows) {
      if (!row.bars.isEmpty() && row.bars.last().series == style) continue;
      row.bars.append(
          {style, profile::unknown, now == SpeedOfLightKind::measured ? tr("not measured") : tr("not simulated")});
    }
  }
  // Groups without cost are left out; one sentence below lists what was not measured for any candidate.
  rows.removeIf([&](const BarRow& row) {
    return std::all_of(row.bars.begin(), row.bars.end(), [&](const BarRow::Bar& b) {
      return !std::isfinite(b.value) || (now == SpeedOfLightKind::simulated && b.value <= 0);
    });
  });
  return rows;
}

QString SpeedOfLightPanel::missing(const QList<BarRow>& shown) const {
  if (kind() == SpeedOfLightKind::simulated) return {};
  QStringList parts;
  QString why;
  for (const SpeedOfLightRow& row : speed_of_light_rows(*profiles().front(), SpeedOfLightKind::measured)) {
    if (std::any_of(shown.begin(), shown.end(), [&](const BarRow& b) { return b.label == qs(row.part); })) continue;
    parts.append(qs(row.part));
    if (why.isEmpty()) why = qs(row.why_not);
  }
  return parts.isEmpty() ? QString() : tr("Not measured: %1. %2").arg(parts.join(", "), why);
}

int SpeedOfLightPanel::chart_height(int width) const {
  const int lines = std::min<int>(advice_shown, static_cast<int>(profiles().front()->advice.size()));
  const QList<BarRow> rows = bars();
  if (embedded()) return bars_height(rows, font(), axis()) + light_words_height(missing(rows), font(), width);
  return bars_height(rows, font(), axis()) + light_words_height(missing(rows), font(), width) +
         (lines + 1) * (QFontMetrics(font()).height() + 6) + 12;
}

QList<ChartSpot> SpeedOfLightPanel::paint_chart(QPainter& painter, const QSize& size) const {
  const QList<BarRow> rows = bars();
  double most = absolute() ? 0 : 100;
  if (absolute())
    for (const BarRow& row : rows)
      for (const BarRow::Bar& bar : row.bars)
        if (std::isfinite(bar.value)) most = std::max(most, bar.value);
  QList<ChartSpot> spots = paint_bars(painter, size, rows, most, axis());
  const Theme& theme = Theme::instance();
  const ProfileView& view = *profiles().front();
  const QFontMetrics metrics(painter.font());
  const int line = metrics.height() + 6, width = size.width() - 16;
  int y = bars_height(rows, painter.font(), axis());
  const QString not_there = missing(rows);
  painter.setPen(theme.color("muted"));
  painter.drawText(QRect(8, y, width, light_words_height(not_there, painter.font(), size.width())), Qt::TextWordWrap,
                   not_there);
  y += light_words_height(not_there, painter.font(), size.width());
  if (embedded()) return spots;  // a page has the advice beside each of its sections
  painter.setPen(theme.color("border"));
  painter.drawLine(8, y, size.width() - 8, y);
  y += 6;
  QFont bold = painter.font(), plain = painter.font();
  bold.setBold(true);
  painter.setFont(bold);
  painter.setPen(theme.color("text"));
  painter.drawText(QRect(8, y, width, line), Qt::AlignLeft | Qt::AlignVCenter,
                   view.advice.empty() ? tr("Advice") : tr("Advice based on these numbers"));
  painter.setFont(plain);
  y += line;
  if (view.advice.empty()) {
    painter.setPen(theme.color("muted"));
    painter.drawText(QRect(metrics.horizontalAdvance(tr("Advice")) + 28, y - line,
                           width - metrics.horizontalAdvance(tr("Advice")) - 20, line),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(qs(view.advice_why_not), Qt::ElideRight,
                                        width - metrics.horizontalAdvance(tr("Advice")) - 20));
  }
  for (int i = 0; i < std::min<int>(advice_shown, static_cast<int>(view.advice.size())); ++i) {
    const profile::Advice& a = view.advice[static_cast<std::size_t>(i)];
    const QRect box(8, y, width, line);
    painter.setPen(theme.color(a.line > 0 ? "accent" : "text"));
    painter.drawText(box.adjusted(8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     metrics.elidedText(light_advice_line(i + 1, a), Qt::ElideRight, width - 8));
    spots.append({box,
                  qs(a.title) + "\n" + qs(a.evidence) + "\n" + qs(a.explanation) +
                      (a.line > 0 ? "\n" + tr("A click shows line %1.").arg(a.line) : QString()),
                  a.line > 0 ? a.line : -1});
    y += line;
  }
  return spots;
}

void SpeedOfLightPanel::spot_chosen(int key) { context().selection->choose_line(key); }

ProfileTable SpeedOfLightPanel::table() const {
  const SpeedOfLightKind now = kind();
  ProfileTable t{{tr("Candidate"), tr("Part"),
                  now == SpeedOfLightKind::measured ? tr("% of the peak") : tr("% of the simulated cost"),
                  tr("Provenance"), tr("Made of"), tr("Remark")},
                 {},
                 {2}};
  for (const auto& view : profiles()) {
    const std::vector<SpeedOfLightRow> rows = speed_of_light_rows(*view, now);
    if (rows.empty())
      t.rows.append({qs(view->name), dash(),
                     now == SpeedOfLightKind::measured ? tr("not measured") : tr("not simulated"), dash(), dash(),
                     qs(view->cost_why_not)});
    for (const SpeedOfLightRow& row : rows) {
      const bool known = std::isfinite(row.percent);
      t.rows.append({qs(view->name), qs(row.part), known ? QString::number(row.percent, 'f', 2) : tr("not measured"),
                     known ? qs(provenance_text(row)) : dash(), qs(row.from), qs(known ? row.about : row.why_not)});
    }
  }
  return t;
}

QString SpeedOfLightPanel::summary() const {
  const SpeedOfLightKind now = kind();
  const ProfileView& view = *profiles().front();
  if (!has_speed_of_light(view, now))
    return tr("%1 has no numbers of this kind: %2")
        .arg(short_name(view), qs(now == SpeedOfLightKind::measured ? view.counters_why_not : view.cost_why_not));
  const std::vector<SpeedOfLightRow> rows = speed_of_light_rows(view, now);
  const SpeedOfLightRow* best = highest_row(rows);
  QString text;
  if (now == SpeedOfLightKind::simulated) {
    text = tr("%1 % of the simulated cost of %2 is %3.")
               .arg(best->percent, 0, 'f', 0)
               .arg(short_name(view), qs(best->part).toLower());
    text += " " + tr("Shares of a cost model, not of time; nothing was measured.");
  } else {
    if (best)
      text = tr("%1 gets closest to its peak in %2: %3 (%4).")
                 .arg(short_name(view), qs(best->part).toLower().replace("l1", "L1").replace("l2", "L2"),
                      light_percent(best->percent), qs(provenance_text(*best)));
    if (view.cold) text += " " + tr("It takes %1 µs, measured with a cold cache.").arg(count_text(view.cold->median));
    if (!has_counters(view))
      text += " " + qs(view.counters_why_not);
    else if (!view.counters_case.empty())
      text += " " + tr("The counters are of another case: %1.").arg(qs(view.counters_case));
  }
  return text;
}

}  // namespace ww::widgets
