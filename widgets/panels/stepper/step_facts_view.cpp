// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/stepper/step_facts_view.h"
#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>
#include <bit>
#include "panels/stepper/access_view.h"
#include "panels/stepper/divergence_view.h"
#include "panels/stepper/lanes_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

constexpr std::size_t most_findings = 6;

QString place_text(int line, int ptx_line) {
  return line > 0 ? StepFactsView::tr("line %1").arg(line) : StepFactsView::tr("PTX line %1").arg(ptx_line);
}

QString lanes_count(const std::string& mask) {
  const int n = std::popcount(mask_of(mask));
  return n == 32 ? StepFactsView::tr("all lanes") : counted(n, StepFactsView::tr("lane"), StepFactsView::tr("lanes"));
}

QString site_sentence(const sim::Site& site) {
  QStringList thread;
  for (const std::uint32_t n : site.thread) thread += QString::number(n);
  const QString who = thread.isEmpty() ? StepFactsView::tr("warp %1").arg(site.warp)
                                       : StepFactsView::tr("thread (%1)").arg(thread.join(", "));
  return StepFactsView::tr("%1, %2: %3").arg(who, place_text(site.line, site.ptx_line), qs(site.instruction));
}

}  // namespace

QString warp_place(const sim::WarpFacts& warp) {
  if (warp.state == sim::WarpState::ended) return StepFactsView::tr("ended");
  QStringList groups;
  for (const sim::GroupFacts& g : warp.groups) {
    const QString state = g.state == sim::GroupState::at_barrier        ? StepFactsView::tr(" at a barrier")
                          : g.state == sim::GroupState::waits_for_lanes ? StepFactsView::tr(" waiting for other lanes")
                          : g.state == sim::GroupState::next            ? StepFactsView::tr(", next")
                                                                        : QString();
    groups += StepFactsView::tr("%1 at %2%3").arg(lanes_count(g.mask), place_text(g.line, g.ptx_line), state);
  }
  return groups.join("; ");
}

QStringList warp_sentences(const std::vector<sim::WarpFacts>& warps) {
  QStringList out;
  for (std::size_t from = 0; from < warps.size();) {
    const QString place = warp_place(warps[from]);
    std::size_t to = from + 1;
    while (to < warps.size() && warp_place(warps[to]) == place) ++to;
    out += to - from == 1
               ? StepFactsView::tr("Warp %1: %2").arg(warps[from].warp).arg(place)
               : StepFactsView::tr("Warps %1 to %2: %3").arg(warps[from].warp).arg(warps[to - 1].warp).arg(place);
    from = to;
  }
  return out;
}

QString totals_sentence(const sim::StepTotals& t) {
  const auto n = [](std::int64_t count, const QString& one, const QString& several) {
    return count_text(static_cast<double>(count)) + " " + (count == 1 ? one : several);
  };
  using V = StepFactsView;
  return V::tr("%1, %2 by threads; %3 of global memory in %4; %5 of shared memory, %6 for bank conflicts; %7")
      .arg(n(t.steps, V::tr("step"), V::tr("steps")), count_text(static_cast<double>(t.lanes)),
           n(t.bytes, V::tr("byte"), V::tr("bytes")), n(t.sectors, V::tr("sector"), V::tr("sectors")),
           n(t.wavefronts, V::tr("wavefront"), V::tr("wavefronts")), count_text(static_cast<double>(t.conflicts)),
           n(t.barriers, V::tr("barrier"), V::tr("barriers")));
}

namespace {

QString unwritten_sentence(const sim::Unwritten& u) {
  using V = StepFactsView;
  const QString barrier = u.barrier < 0 ? V::tr("no barrier lies before the read")
                                        : V::tr("the last barrier before the read is step %1").arg(u.barrier + 1);
  if (u.writer)
    return V::tr("written later, at step %1: %2; %3").arg(u.step + 1).arg(site_sentence(*u.writer), barrier);
  return u.whole ? V::tr("nothing writes it later; %1").arg(barrier)
                 : V::tr("nothing writes it in the next %1; %2")
                       .arg(counted(static_cast<int>(u.looked), V::tr("step"), V::tr("steps")), barrier);
}

QString extent_sentence(const sim::Extent& e, std::int64_t offset) {
  using V = StepFactsView;
  const QString elements =
      e.elements > 0 ? V::tr(" (%1 of %2)")
                           .arg(counted(static_cast<int>(e.elements), V::tr("element"), V::tr("elements")), qs(e.type))
                     : QString();
  return V::tr("%1 has bytes 0 to %2%3; the access begins at byte %4")
      .arg(qs(e.buffer))
      .arg(e.bytes - 1)
      .arg(elements)
      .arg(offset);
}

}  // namespace

QString finding_sentence(const sim::StepFinding& found) {
  QString text = found.step < 0 ? StepFactsView::tr("In an earlier block: %1").arg(qs(found.finding.message))
                                : StepFactsView::tr("Step %1: %2").arg(found.step + 1).arg(qs(found.finding.message));
  if (found.finding.other)
    text += StepFactsView::tr("\n  this: %1\n  first: %2")
                .arg(site_sentence(found.finding.site), site_sentence(*found.finding.other));
  const QString other = found.unwritten ? unwritten_sentence(*found.unwritten)
                        : found.extent  ? extent_sentence(*found.extent, found.finding.offset)
                                        : QString();
  if (!other.isEmpty()) text += StepFactsView::tr("\n  this: %1\n  %2").arg(site_sentence(found.finding.site), other);
  return text;
}

StepFactsView::StepFactsView(QWidget* parent) : QScrollArea(parent) {
  setObjectName("stepper_facts");
  name_it(this, tr("The step's facts"));
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* page = new QWidget(this);
  auto* column = make_column(page, {grid::step, 0, grid::step, grid::step});
  step_ = make_selectable(page, "stepper_step", "heading");
  found_ = make_selectable(page, "stepper_found", "error");
  next_ = make_selectable(page, "stepper_next", "muted");
  column->addWidget(found_);
  column->addWidget(step_);
  auto* row = make_row(column);
  auto* caption = make_label(page, {}, "muted");
  caption->setText(tr("Lanes show"));
  registers_ =
      make_combo(page, "stepper_register", tr("Register"),
                 tr("The variable or register whose value each lane shows; of a register garbage where a lane has "
                    "not written it"),
                 14);
  row->addWidget(caption);
  row->addWidget(registers_);
  row->addStretch(1);
  lanes_ = new LanesView(page);
  column->addWidget(lanes_);
  element_ = make_selectable(page, "stepper_element");
  element_->hide();
  column->addWidget(element_);
  for (int i = 0; i < 2; ++i) {
    captions_ += make_paragraph(page, QString("stepper_cost_%1").arg(i));
    accesses_ += new AccessView(page);
    column->addWidget(captions_.back());
    column->addWidget(accesses_.back());
  }
  column->addWidget(next_);
  auto* stack = make_label(page, {}, "muted");
  stack->setText(tr("Divergence stack"));
  column->addWidget(stack);
  divergence_ = new DivergenceView(page);
  column->addWidget(divergence_);
  live_ = make_selectable(page, "stepper_live", "muted");
  column->addWidget(live_);
  totals_ = make_selectable(page, "stepper_totals", "muted");
  column->addWidget(totals_);
  warps_ = make_selectable(page, "stepper_warps", "muted");
  column->addWidget(warps_);
  column->addStretch(1);
  setWidget(page);
  connect(registers_, &QComboBox::currentIndexChanged, this, &StepFactsView::show_lanes);
  connect(lanes_, &LanesView::lane_marked, this, &StepFactsView::lane_marked);
}

void StepFactsView::show_element(const QString& text) {
  element_->setText(text);
  element_->setVisible(!text.isEmpty());
}

void StepFactsView::show_live() {
  live_->setVisible(trace_.live.has_value());
  totals_->setVisible(trace_.totals.has_value());
  if (trace_.live) {
    QStringList names;
    for (const std::string& name : trace_.live->registers) names += register_words(name);
    live_->setText(tr("Live registers of the PTX: %1, in %2 words of 32 bits (most in this function: %3)\n%4")
                       .arg(trace_.live->registers.size())
                       .arg(trace_.live->words)
                       .arg(trace_.live->most_words)
                       .arg(names.join(", ")));
  }
  if (trace_.totals) totals_->setText(tr("So far (simulated): %1").arg(totals_sentence(*trace_.totals)));
}

QString StepFactsView::register_words(const std::string& name) const {
  const auto at = std::ranges::find(trace_.registers, name, &sim::WrittenRegister::name);
  return at == trace_.registers.end() || at->means.empty() ? qs(name) : qs(name + " = " + at->means);
}

void StepFactsView::fill_registers() {
  const QSignalBlocker quiet(registers_);
  const QString chosen = registers_->currentIndex() > 0 ? registers_->currentText() : QString();
  registers_->clear();
  registers_->addItem(tr("What it wrote"));
  for (const sim::VariableFacts& v : trace_.variables) registers_->addItem(tr("%1 (%2)").arg(qs(v.name), qs(v.type)));
  for (const sim::WrittenRegister& r : trace_.registers) registers_->addItem(register_words(r.name));
  registers_->setCurrentIndex(chosen.isEmpty() ? 0 : std::max(0, registers_->findText(chosen)));
}

void StepFactsView::show_lanes() {
  const bool stepped = !trace_.steps.empty();
  LanesPicture picture;
  const bool its_warp = stepped && static_cast<int>(trace_.steps.back().warp) == warp_;
  const std::uint32_t active = its_warp ? mask_of(trace_.steps.back().active) : 0;
  const int at = registers_->currentIndex() - 1, variables = static_cast<int>(trace_.variables.size());
  if (at >= 0 && at < variables) {
    const sim::VariableFacts& v = trace_.variables[static_cast<std::size_t>(at)];
    picture = lanes_of_register({v.name, v.type, v.values, {}}, active);
  } else if (at >= variables && at - variables < static_cast<int>(trace_.registers.size())) {
    picture = lanes_of_register(trace_.registers[static_cast<std::size_t>(at - variables)], active);
  } else if (stepped) {
    picture = lanes_of_step(trace_.steps.back(), true);
  }
  if (warp_ < static_cast<int>(trace_.warps.size()))
    picture.exist = mask_of(trace_.warps[static_cast<std::size_t>(warp_)].lanes);
  lanes_->show_lanes(picture);
}

void StepFactsView::show_trace(const sim::Trace& trace, int warp) {
  trace_ = trace;
  warp_ = warp;
  const sim::StepFacts* const step = trace.steps.empty() ? nullptr : &trace.steps.back();
  if (step == nullptr)
    step_->setText(tr("Nothing has run yet"));
  else
    step_->setText(
        tr("Warp %1, %2: %3").arg(step->warp).arg(place_text(step->line, step->ptx_line), qs(step->instruction)) +
        (mask_of(step->active) == 0 ? tr(" (skipped: its guard is false)") : QString()) +
        (step->released ? tr(" (threads at a barrier go on)") : QString()));
  QStringList found;
  for (const sim::StepFinding& f : trace.findings)
    if (step != nullptr && f.step == step->step && found.size() < static_cast<qsizetype>(most_findings))
      found += finding_sentence(f);
  found_->setText(found.join('\n'));
  found_->setVisible(!found.isEmpty());
  fill_registers();
  show_lanes();
  show_live();
  show_accesses(step);
  show_warps();
}

void StepFactsView::show_accesses(const sim::StepFacts* step) {
  qsizetype shown = 0;
  if (step != nullptr)
    for (const sim::SpaceAccess& access : step->accesses) {
      if (shown >= accesses_.size()) break;
      captions_[shown]->setText(access_sentence(access));
      accesses_[shown]->show_access(access);
      ++shown;
    }
  for (qsizetype i = 0; i < accesses_.size(); ++i) {
    captions_[i]->setVisible(i < shown);
    accesses_[i]->setVisible(i < shown);
  }
}

void StepFactsView::show_warps() {
  QString next = tr("The launch has ended.");
  for (const sim::WarpFacts& w : trace_.warps)
    for (const sim::GroupFacts& g : w.groups)
      if (g.state == sim::GroupState::next)
        next = tr("Next: warp %1, %2: %3").arg(w.warp).arg(place_text(g.line, g.ptx_line), qs(g.instruction));
  next_->setText(next);
  warps_->setText(warp_sentences(trace_.warps).join('\n'));
  if (warp_ < static_cast<int>(trace_.warps.size()))
    divergence_->show_warp(trace_.warps[static_cast<std::size_t>(warp_)]);
}

}  // namespace ww::widgets
