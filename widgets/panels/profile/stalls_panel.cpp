// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panels.h"
#include <algorithm>
#include <span>
#include <QComboBox>
#include <QPainter>
#include "session/metric_texts.h"
#include "panels/profile/series_style.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {
namespace {

using measure::stall_is_none;
using measure::stall_lines;
using measure::StallLine;
using measure::StallPart;
using measure::StallProfile;
using measure::Stalls;
using measure::StallSource;

constexpr int stall_styles = most_series - 1;  // the last one is for all others
constexpr int stall_lines_shown = 8;

QString stall_title(const std::string& reason) { return qs(measure::stall_title(reason)); }
QString stall_meaning(const std::string& reason) { return qs(measure::stall_meaning(reason)); }
// Of a reason below the chart: its title, and what it means.
int reason_height(const QString& reason, const QFont& font, int width) {
  return QFontMetrics(font).height() + wrapped_height(stall_meaning(reason.toStdString()), font, width - 44) + 6;
}
QString stall_source_line(const ProfileView& view, int line) {
  return qs(measure::source_line(view.record.text, line));
}

// Why warps wait: one stack a candidate (or launch), each reason in plain words below, and the lines with the most
// samples.
class StallsPanel : public PaintedPanel {
 public:
  explicit StallsPanel(const Context& context)
      : PaintedPanel(context, "stalls_panel", tr("Stall reasons"),
                     tr("Select a candidate to see what its warps wait for.")) {
    choice_ = add_choice("stall_source", tr("Source of the stall reasons"),
                         tr("Both are measured on the GPU. Samples also show in which lines warps waited."), 16);
    choice_->addItem(tr("Time between instructions (counters)"), static_cast<int>(StallSource::counters));
    choice_->addItem(tr("Samples by line"), static_cast<int>(StallSource::samples));
    connect(choice_, &QComboBox::currentIndexChanged, this, &StallsPanel::refresh);
  }

 protected:
  QString why_no_data() const override {
    for (const auto& view : profiles())
      for (const StallSource s : {StallSource::counters, StallSource::samples})
        if (!stalls(*view, s).launches.empty()) return {};
    return tr("Stall reasons are not measured: %1.")
        .arg(qs(stalls(*profiles().front(), StallSource::counters).why_not));
  }

  QString summary() const override {
    const Stalls all = stalls(*profiles().front(), source());
    if (all.launches.empty())
      return tr("Stall reasons of %1 are not measured: %2.").arg(short_name(*profiles().front()), qs(all.why_not));
    const StallProfile& p = all.launches.front();
    QString text;
    for (const StallPart& part : p.parts)
      if (!stall_is_none(part.reason)) {
        text = tr("Warps spend %1 of their time waiting for: %2 (measured).")
                   .arg(percent_text(part.amount / p.total, 1), stall_title(part.reason).toLower());
        break;
      }
    if (source() == StallSource::samples) {
      text = tr("%1 samples (measured).").arg(count_text(p.total)) + " " + text;
      if (const std::vector<StallLine> lines = stall_lines(*profiles().front()); !lines.empty())
        text += tr(" Most of them in line %1.").arg(lines.front().line);
    }
    return text;
  }

  ProfileTable table() const override {
    ProfileTable t;
    const bool samples = source() == StallSource::samples;
    t.columns = {
        tr("Candidate"), tr("Where"),  tr("Reason"),       samples ? tr("Samples") : tr("Cycles per instruction"),
        tr("Share"),     tr("Source"), tr("What it means")};
    for (const auto& view : profiles()) {
      const Stalls all = stalls(*view, source());
      if (all.launches.empty())
        t.rows.append({qs(view->name), tr("all"), tr("all"), tr("not measured"), dash(), qs(all.why_not), {}});
      for (const StallProfile& p : all.launches)
        for (const StallPart& part : p.parts)
          t.rows.append({qs(view->name), p.kernel.empty() ? tr("the kernel") : qs(p.kernel), stall_title(part.reason),
                         samples ? count_text(part.amount) : QString::number(part.amount, 'f', 3),
                         percent_text(part.amount / p.total, 1), tr("measured"), stall_meaning(part.reason)});
      if (samples)
        for (const StallLine& l : stall_lines(*view))
          t.rows.append({qs(view->name), tr("line %1").arg(l.line), tr("mostly %1").arg(stall_title(l.main).toLower()),
                         count_text(l.samples), dash(), tr("measured"), stall_source_line(*view, l.line)});
    }
    t.numbers = {3, 4};
    return t;
  }

  int chart_height(int width) const override {
    const QList<Shown> all = shown();
    const int line = QFontMetrics(font()).height();
    int reasons = 0;
    for (const QString& reason : order(all).mid(0, stall_styles)) reasons += reason_height(reason, font(), width);
    const int lines = source() == StallSource::samples && !profiles().empty()
                          ? std::min<int>(stall_lines_shown, static_cast<int>(stall_lines(*profiles().front()).size()))
                          : 0;
    return stacks_height(stacks(all, order(all)), font()) + reasons + line + 10 +
           (lines > 0 ? (lines + 2) * (line + 4) : 0);
  }

  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override {
    const QList<Shown> all = shown();
    const QStringList reasons = order(all);
    const QList<StackRow> rows = stacks(all, reasons);
    const Theme& theme = Theme::instance();
    QList<ChartSpot> spots = paint_stacks(painter, size, rows, 100);
    int y = stacks_height(rows, painter.font());
    const QFont plain = painter.font();
    QFont bold = plain;
    bold.setBold(true);
    const int line = QFontMetrics(plain).height();
    for (int i = 0; i < std::min<int>(stall_styles, static_cast<int>(reasons.size()));
         ++i) {  // the meaning of each style
      const std::string reason = reasons[i].toStdString();
      fill_series(painter, QRectF(9, y + 3, 22, line - 5), i);
      painter.setPen(theme.color("text"));
      painter.setFont(bold);
      QStringList shares;
      for (const Shown& s : all) {
        double amount = 0;
        for (const StallPart& p : s.profile.parts)
          if (p.reason == reason) amount = p.amount;
        shares.append(percent_text(amount / s.profile.total, 1));
        const ProfileView* base = baseline_of(*profiles()[static_cast<std::size_t>(s.series)]);
        const QString change = base ? stall_change(*base, s, amount, reason) : QString();
        if (!change.isEmpty()) shares.last() += " (" + change + ")";
      }
      const QString head = stall_title(reason) + "  " + shares.mid(0, 8).join(" · ");
      painter.drawText(QRectF(38, y, size.width() - 44, line + 1), Qt::AlignLeft | Qt::AlignVCenter,
                       QFontMetrics(bold).elidedText(head, Qt::ElideRight, size.width() - 44));
      painter.setFont(plain);
      painter.setPen(theme.color("muted"));
      const int height = reason_height(reasons[i], plain, size.width());
      painter.drawText(QRectF(38, y + line, size.width() - 44, height - line),
                       Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, stall_meaning(reason));
      spots.append({QRectF(6, y, size.width() - 12, height - 4), head + "\n" + stall_meaning(reason), -1});
      y += height;
    }
    if (reasons.size() > stall_styles) {
      fill_series(painter, QRectF(9, y + 3, 22, line - 5), most_series - 1);
      painter.setPen(theme.color("text"));
      QStringList names;
      for (const QString& r : reasons.mid(stall_styles)) names.append(stall_title(r.toStdString()));
      painter.drawText(
          QRectF(38, y, size.width() - 44, line + 1), Qt::AlignLeft | Qt::AlignVCenter,
          QFontMetrics(plain).elidedText(tr("The rest: %1").arg(names.join(", ")), Qt::ElideRight, size.width() - 44));
    }
    y += line + 10;
    if (source() != StallSource::samples) return spots;
    const std::vector<StallLine> lines = stall_lines(*profiles().front());
    if (lines.empty()) return spots;
    painter.setFont(bold);
    painter.setPen(theme.color("text"));
    painter.drawText(QRectF(9, y, size.width() - 12, line + 4), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Lines with the most samples"));
    y += line + 4;
    double total = 0;
    for (const StallLine& l : lines) total += l.samples;
    for (const StallLine& l : std::span(lines).first(std::min<std::size_t>(lines.size(), stall_lines_shown))) {
      const QString head = tr("line %1").arg(l.line),
                    share = percent_text(l.samples / total, 1) + "  " + stall_title(l.main);
      painter.setFont(plain);
      painter.setPen(theme.color("accent"));
      painter.drawText(QRectF(9, y, 70, line + 4), Qt::AlignLeft | Qt::AlignVCenter, head);
      painter.setPen(theme.color("text"));
      const int right = QFontMetrics(plain).horizontalAdvance(share) + 8;
      painter.drawText(QRectF(size.width() - right - 8, y, right, line + 4), Qt::AlignRight | Qt::AlignVCenter, share);
      painter.setFont(painted_code_font());
      painter.drawText(
          QRectF(80, y, size.width() - 96 - right, line + 4), Qt::AlignLeft | Qt::AlignVCenter,
          QFontMetrics(painted_code_font())
              .elidedText(stall_source_line(*profiles().front(), l.line), Qt::ElideRight, size.width() - 96 - right));
      spots.append({QRectF(6, y, size.width() - 12, line + 4),
                    tr("%1: %2 samples, mostly %3. Press Enter to show it in the code.")
                        .arg(head, count_text(l.samples), stall_title(l.main).toLower()),
                    l.line});
      y += line + 4;
    }
    return spots;
  }

  void spot_chosen(int key) override { context().selection->choose_line(key); }

 private:
  struct Shown {
    int series;
    QString label;
    StallProfile profile;
  };

  QString stall_change(const ProfileView& base, const Shown& s, double amount, const std::string& reason) const {
    for (const StallProfile& p : stalls(base, source()).launches) {
      if (p.kernel != s.profile.kernel) continue;
      double before = 0;
      for (const StallPart& part : p.parts)
        if (part.reason == reason) before = part.amount;
      return metric_change(100 * amount / s.profile.total, 100 * before / p.total, measure::MetricUnit::percent);
    }
    return {};
  }

  StallSource source() const { return static_cast<StallSource>(choice_->currentData().toInt()); }

  QList<Shown> shown() const {
    QList<Shown> all;
    for (std::size_t i = 0; i < profiles().size(); ++i) {
      for (StallProfile& p : stalls(*profiles()[i], source()).launches) {
        const QString label = lettered(i) + (p.kernel.empty() ? QString() : " · " + qs(p.kernel));
        all.append({static_cast<int>(i), label, std::move(p)});
      }
    }
    return all;
  }

  // Reasons by their largest share; the style of a piece is its place here.
  QStringList order(const QList<Shown>& all) const {
    QHash<QString, double> largest;
    for (const Shown& s : all)
      for (const StallPart& p : s.profile.parts) {
        double& share = largest[qs(p.reason)];
        share = std::max(share, p.amount / s.profile.total);
      }
    QStringList reasons = largest.keys();
    std::sort(reasons.begin(), reasons.end(), [&](const QString& a, const QString& b) {
      return largest[a] != largest[b] ? largest[a] > largest[b] : a < b;
    });
    return reasons;
  }

  QList<StackRow> stacks(const QList<Shown>& all, const QStringList& reasons) const {
    QList<StackRow> rows;
    for (const Shown& s : all) {
      StackRow row{s.label,
                   source() == StallSource::samples
                       ? tr("%1 samples").arg(count_text(s.profile.total))
                       : tr("%1 cycles per instruction").arg(QString::number(s.profile.total, 'f', 1)),
                   {}};
      double others = 0;
      QStringList other_words;
      for (int i = 0; i < reasons.size(); ++i)
        for (const StallPart& p : s.profile.parts) {
          if (qs(p.reason) != reasons[i]) continue;
          const QString words = tr("%1: %2").arg(stall_title(p.reason), percent_text(p.amount / s.profile.total, 1));
          if (i < stall_styles) {
            row.pieces.append({100 * p.amount / s.profile.total, i, percent_text(p.amount / s.profile.total, 1),
                               words + "\n" + stall_meaning(p.reason)});
          } else {
            others += 100 * p.amount / s.profile.total;
            other_words.append(words);
          }
        }
      if (others > 0) row.pieces.append({others, most_series - 1, tr("the rest"), other_words.join("\n")});
      rows.append(row);
    }
    return rows;
  }

  QComboBox* choice_;
};

}  // namespace

PaintedPanel* make_stalls_panel(const Context& context) { return new StallsPanel(context); }

}  // namespace ww::widgets
