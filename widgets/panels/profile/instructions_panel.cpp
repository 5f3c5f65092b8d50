// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/painted_panels.h"
#include "session/metric_texts.h"
#include <algorithm>
#include <cmath>
#include <span>
#include <QComboBox>
#include <QPainter>
#include "parts/theme/controls.h"

namespace ww::widgets {
namespace {

using measure::instruction_mix;
using measure::InstructionMix;
using measure::MixPart;
using measure::MixSource;

QString mix_provenance(MixSource source) {
  const Provenance provenance = provenance_of(source);
  return provenance == Provenance::counted ? QObject::tr("counted in the PTX text") : enum_text(provenance);
}

// Instruction mix: shares of the kinds of instructions, from the source that is chosen.
class InstructionsPanel : public PaintedPanel {
 public:
  explicit InstructionsPanel(const Context& context)
      : PaintedPanel(context, "instructions_panel", tr("Instruction mix"),
                     tr("Select a candidate to see which kinds of instructions it executes.")) {
    choice_ = add_choice("mix_source", tr("Source of the instruction mix"),
                         tr("The source of the numbers; sources are never mixed"), 18);
    choice_->addItem(tr("Best available source"), -1);
    for (const auto& [source, name] : names_of(MixSource()))
      choice_->addItem(qs(title_of(source)), static_cast<int>(source));
    unit_ = add_choice("mix_unit", tr("What the bars show"),
                       tr("Counts can be compared between candidates; shares cannot"), 8);
    unit_->addItem(tr("Counts"));
    unit_->addItem(tr("Shares"));
    for (QComboBox* box : {choice_, unit_})
      connect(box, &QComboBox::currentIndexChanged, this, &InstructionsPanel::refresh);
  }

 protected:
  QString why_no_data() const override {
    for (const auto& view : profiles())
      if (!instruction_mix(*view).parts.empty()) return {};
    return tr("The instruction mix is not measured: %1.").arg(qs(instruction_mix(*profiles().front()).why_not));
  }

  QString summary() const override {
    const MixSource s = source();
    const InstructionMix mix = instruction_mix(*profiles().front(), s);
    QString text;
    if (mix.parts.empty()) {
      text = tr("Not known from this source: %1.").arg(qs(mix.why_not));
    } else {
      std::vector<MixPart> most = mix.parts;
      std::ranges::stable_sort(most, std::greater(), &MixPart::count);
      QStringList first;
      for (const MixPart& p : std::span(most).first(std::min<std::size_t>(most.size(), 3)))
        if (p.count > 0) first.append(tr("%1 %2").arg(qs(p.title), percent_text(p.count / mix.total, 1)));
      text = tr("%1 instructions (%2): %3.").arg(short_count(mix.total), mix_provenance(s), first.join(", "));
    }
    for (std::size_t i = 1; i < profiles().size(); ++i)
      if (const InstructionMix other = instruction_mix(*profiles()[i], s); other.parts.empty())
        text += tr(" %1: not measured, %2.").arg(short_name(*profiles()[i]), qs(other.why_not));
    return text;
  }

  ProfileTable table() const override {
    const MixSource s = source();
    ProfileTable t;
    t.columns = {tr("Candidate"), tr("Kind"), tr("Instructions"), tr("Share"), tr("Source"), tr("What it is")};
    for (const auto& view : profiles()) {
      const InstructionMix mix = instruction_mix(*view, s);
      if (mix.parts.empty())
        t.rows.append({qs(view->name), tr("all"), tr("not measured"), dash(), qs(mix.why_not), {}});
      for (const MixPart& p : mix.parts)
        t.rows.append({qs(view->name), qs(p.title), count_text(p.count), percent_text(p.count / mix.total, 1),
                       mix_provenance(s), qs(p.about)});
    }
    t.numbers = {2, 3};
    return t;
  }

  int chart_height(int) const override { return bars_height(rows(), font(), axis()); }

  QList<ChartSpot> paint_chart(QPainter& painter, const QSize& size) const override {
    const QList<BarRow> list = rows();
    double most = 0;
    for (const BarRow& row : list)
      for (const BarRow::Bar& bar : row.bars) most = std::max(most, bar.value);
    return paint_bars(painter, size, list, most, axis());
  }

 private:
  bool shares() const { return unit_->currentIndex() == 1; }
  QString axis() const {
    return shares() ? tr("Percent of each candidate's own instructions") : tr("Warp instructions; shorter is better");
  }
  // The chosen one; with "best": the first that the current candidate has.
  MixSource source() const {
    if (const int chosen = choice_->currentData().toInt(); chosen >= 0) return static_cast<MixSource>(chosen);
    return profiles().empty() ? MixSource::written : instruction_mix(*profiles().front()).source;
  }

  QList<BarRow> rows() const {
    const MixSource from = source();
    QList<BarRow> rows;
    const auto base_count = [&](const ProfileView& view, const std::string& kind) {
      if (const ProfileView* base = baseline_of(view))
        for (const MixPart& part : instruction_mix(*base, from).parts)
          if (part.kind == kind) return part.count;
      return profile::unknown;
    };
    for (std::size_t i = 0; i < profiles().size(); ++i) {
      const InstructionMix mix = instruction_mix(*profiles()[i], from);
      for (const MixPart& part : mix.parts) {
        if (part.count <= 0) continue;
        const QString title = qs(part.title);
        auto at = std::find_if(rows.begin(), rows.end(), [&](const BarRow& row) { return row.label == title; });
        if (at == rows.end())
          at = rows.insert(rows.end(), BarRow{title, tr("%1: %2").arg(title, qs(part.about)), {}, -1});
        const double share = 100 * part.count / mix.total;
        const QString words[] = {short_count(part.count), percent_text(part.count / mix.total, 1)};
        at->bars.append({series(i), shares() ? share : part.count, words[shares()] + "  " + words[!shares()],
                         metric_change(part.count, base_count(*profiles()[i], part.kind), measure::MetricUnit::count)});
        at->tooltip += "\n" + tr("%1: %2 of %3 instructions, %4 (%5)")
                                  .arg(short_name(*profiles()[i]), count_text(part.count), count_text(mix.total),
                                       percent_text(part.count / mix.total, 1), mix_provenance(from));
      }
    }
    std::stable_sort(rows.begin(), rows.end(),
                     [](const BarRow& a, const BarRow& b) { return a.bars.front().value > b.bars.front().value; });
    return rows;
  }

  QComboBox *choice_, *unit_;
};

}  // namespace

PaintedPanel* make_instructions_panel(const Context& context) { return new InstructionsPanel(context); }

}  // namespace ww::widgets
