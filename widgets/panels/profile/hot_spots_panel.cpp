// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panels.h"
#include <algorithm>
#include <span>
#include <QComboBox>
#include <QPainter>
#include <QSignalBlocker>
#include "panels/profile/series_style.h"
#include "session/metric_texts.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {
namespace {

constexpr int hot_most_rows = 60, hot_rows_on_page = 12, hot_least_width = 420;

using measure::HotLine;
using measure::LineMetric;
using measure::metrics_by_line;

// The hottest lines of a candidate by a metric of choice. Choosing a line shows it in the code.
class HotSpotsPanel : public PaintedPanel {
 public:
  explicit HotSpotsPanel(const Context& context)
      : PaintedPanel(context, "hot_spots_panel", tr("Hot spots"),
                     tr("Select a candidate to see which of its lines cost the most.")) {
    choice_ = add_choice("hot_metric", tr("Metric of the hot spots"),
                         tr("Which numbers order the lines, and their source"), 16);
    connect(choice_, &QComboBox::activated, this, [this] {
      chosen_ = choice_->currentData().toString();
      refresh();
    });
  }

 protected:
  QString why_no_data() const override {
    for (const auto& view : profiles())
      if (!metrics_by_line(*view).empty()) return {};
    const ProfileView& view = *profiles().front();
    if (!has_counters(view) && (!view.record.verdict || !view.record.verdict->metrics))
      return tr("Lines are not measured: the candidate was neither measured nor simulated.");
    return has_counters(view)
               ? tr("Lines are not measured: no samples by line were taken. Count the full set of counters.")
               : tr("Lines are not measured: %1.")
                     .arg(view.counters_why_not.empty() ? tr("there are no counts by line")
                                                        : qs(view.counters_why_not));
  }

  void update_chart() override {
    const QSignalBlocker block(choice_);
    choice_->clear();
    for (const auto& view : profiles())
      for (const LineMetric& m : metrics_by_line(*view))
        if (choice_->findData(qs(m.id)) < 0)
          choice_->addItem(tr("%1 (%2)").arg(qs(m.title), enum_text(m.provenance)), qs(m.id));
    choice_->setCurrentIndex(
        std::max(0, choice_->findData(chosen_.isEmpty() ? qs(shown(*profiles().front()).metric.id) : chosen_)));
    PaintedPanel::update_chart();
  }

  QString summary() const override {
    const ProfileView& view = *profiles().front();
    const auto [metric, lines] = shown(view);
    if (lines.empty()) return tr("%1 has no such numbers by line: choose another metric.").arg(short_name(view));
    const auto half = std::ranges::lower_bound(lines, 0.5, {}, &HotLine::cumulative) - lines.begin();
    const QString first =
        lines.front().line > 0 ? tr("line %1").arg(lines.front().line) : tr("instructions without a line");
    return tr("%1 (%2): %3 has %4.")
               .arg(qs(metric.title), enum_text(metric.provenance), first, percent_text(lines.front().share, 1)) +
           " " +
           (half == 0 ? tr("It alone accounts for half of the total.")
                      : tr("Half of the total is in %1 lines of %2.").arg(half + 1).arg(lines.size()));
  }

  ProfileTable table() const override {
    ProfileTable t;
    t.columns = {tr("Candidate"),  tr("Line"),   tr("Amount"), tr("Share"),
                 tr("Cumulative"), tr("Metric"), tr("Source"), tr("Text")};
    for (const auto& view : profiles()) {
      const auto [metric, lines] = shown(*view);
      if (lines.empty())
        t.rows.append(
            {qs(view->name), dash(), tr("not measured"), dash(), dash(), dash(), tr("no such numbers by line"), {}});
      for (const HotLine& l : lines)
        t.rows.append({qs(view->name), l.line > 0 ? QString::number(l.line) : dash(), count_text(l.amount),
                       percent_text(l.share, 1), percent_text(l.cumulative, 1), qs(metric.title),
                       enum_text(metric.provenance), hot_text(l)});
    }
    t.numbers = {1, 2, 3, 4};
    return t;
  }

  int chart_height(int width) const override {
    const int line = std::max(QFontMetrics(font()).height(), QFontMetrics(painted_code_font()).height()) + 5,
              count = static_cast<int>(profiles().size());
    return (count + columns(width) - 1) / columns(width) * ((rows_shown() + (count > 1 ? 2 : 1)) * line + 10);
  }

  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override {
    QList<ChartSpot> spots;
    const Theme& theme = Theme::instance();
    const int count = static_cast<int>(profiles().size()), across = columns(size.width()),
              down = (count + across - 1) / across;
    const int line = std::max(painter.fontMetrics().height(), QFontMetrics(painted_code_font()).height()) + 5,
              width = size.width() / across, height = std::max(size.height(), chart_height(size.width())) / down;
    const QFont plain = painter.font();
    const int number = QFontMetrics(plain).horizontalAdvance(QStringLiteral("000000")),
              share = QFontMetrics(plain).horizontalAdvance(QStringLiteral("100.0 % ")) + 4;
    for (int i = 0; i < count; ++i) {
      const auto profile = static_cast<std::size_t>(i);
      const ProfileView& view = *profiles()[profile];
      const int left = (i % across) * width + 8, bar = std::clamp(width / 5, 40, 140);
      const QRect text(left + number + 8, 0, std::max(20, width - 16 - number - 8 - bar - 2 * share - 16), line);
      int y = (i / across) * height + 4;
      const auto put = [&](int x, int w, int flags, const QString& words) {
        painter.drawText(QRect(x, y, w, line), flags | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(words, Qt::ElideRight, w));
      };
      if (count > 1) {
        painter.drawPixmap(left, y + (line - 14) / 2, series_swatch(series(profile), 2));
        painter.setPen(theme.color("text"));
        put(left + 34, width - 50, Qt::AlignLeft, lettered(profile));
        y += line;
      }
      painter.setPen(theme.color("muted"));
      put(left, number, Qt::AlignRight, tr("line"));
      put(text.left(), text.width(), Qt::AlignLeft, tr("text"));
      put(text.right() + 8, bar + share, Qt::AlignLeft, tr("share"));
      put(text.right() + 8 + bar + share, share, Qt::AlignRight, tr("summed"));
      y += line;
      const std::vector<HotLine> lines = shown(view).lines;
      if (lines.empty()) put(left, width - 16, Qt::AlignLeft, tr("No such numbers by line: choose another metric."));
      for (const HotLine& l : std::span(lines).first(std::min<std::size_t>(lines.size(), most_rows()))) {
        const QRectF row(left - 4, y, width - 8, line);
        painter.setPen(theme.color(i == 0 && l.line > 0 ? "accent" : "muted"));
        put(left, number, Qt::AlignRight, l.line > 0 ? QString::number(l.line) : dash());
        painter.setPen(theme.color(l.line > 0 ? "text" : "muted"));
        painter.setFont(l.line > 0 ? painted_code_font() : plain);
        put(text.left(), text.width(), Qt::AlignLeft, hot_text(l));
        painter.setFont(plain);
        fill_series(painter, QRectF(text.right() + 8, y + 3, std::max(1.5, bar * l.share), line - 6), series(profile));
        painter.setPen(theme.color("text"));
        put(text.right() + 8 + bar, share, Qt::AlignRight, percent_text(l.share, 1));
        painter.setPen(theme.color("muted"));
        put(text.right() + 8 + bar + share, share, Qt::AlignRight, percent_text(l.cumulative, 1));
        const QString words =
            l.line > 0 ? tr("Line %1: %2, %3 of all.\n%4")
                             .arg(l.line)
                             .arg(count_text(l.amount), percent_text(l.share, 1), hot_text(l))
                       : tr("Instructions that belong to no line of the text: %1").arg(percent_text(l.share, 1));
        spots.append({row,
                      i == 0 && l.line > 0 ? words + "\n" + tr("Click or press Enter to show it in the code.") : words,
                      i == 0 && l.line > 0 ? l.line : -1});
        y += line;
      }
    }
    return spots;
  }

  void spot_chosen(int key) override { context().selection->choose_line(key); }

 private:
  struct Shown {
    LineMetric metric;
    std::vector<HotLine> lines;
  };  // no lines: the candidate has no such metric

  static QString hot_text(const HotLine& l) { return l.line > 0 ? qs(l.text) : tr("no line of the text"); }

  Shown shown(const ProfileView& view) const {
    std::vector<LineMetric> all = metrics_by_line(view);
    QString wanted = chosen_;
    if (wanted.isEmpty() && !profiles().empty())
      if (const std::vector<LineMetric> first = metrics_by_line(*profiles().front()); !first.empty())
        wanted = qs(first.front().id);  // all show what the current one has
    for (LineMetric& m : all)
      if (qs(m.id) == wanted || wanted.isEmpty()) {
        std::vector<HotLine> lines = measure::hot_lines(view, m);
        return {std::move(m), std::move(lines)};
      }
    return {};
  }

  int columns(int width) const {
    return std::clamp(width / hot_least_width, 1, static_cast<int>(std::max<std::size_t>(1, profiles().size())));
  }

  int most_rows() const { return embedded() ? hot_rows_on_page : hot_most_rows; }

  int rows_shown() const {
    int most = 1;
    for (const auto& view : profiles())
      most = std::max(most, std::min(most_rows(), static_cast<int>(shown(*view).lines.size())));
    return most;
  }

  QComboBox* choice_;
  QString chosen_;  // by the user; empty: the first available one
};

}  // namespace

PaintedPanel* make_hot_spots_panel(const Context& context) { return new HotSpotsPanel(context); }

}  // namespace ww::widgets
