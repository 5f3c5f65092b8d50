// SPDX-License-Identifier: GPL-3.0-or-later
// The code panel's numbers beside the lines.
#include <QComboBox>
#include <QSignalBlocker>
#include <QToolButton>
#include <algorithm>
#include "panels/code/code_panel.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/listing_view.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/text.h"
#include "parts/theme/label.h"

namespace ww::widgets {

using measure::LineMetric;

namespace {
// "set full, 2026-11-20T22:42:56Z" with the time as the window shows times.
QString counted_when(const std::string& when) {
  const std::size_t comma = when.rfind(", ");
  const std::size_t time = comma == std::string::npos ? 0 : comma + 2;
  return qs(when.substr(0, time)) + when_text(when.substr(time));
}
}  // namespace

void CodePanel::show_profiles(const Profiles& profiles) {
  measured_.clear();
  if (candidate_ && !profiles.empty() && profiles.front()->record.id == candidate_->record.id &&
      profiles.front()->counters)
    measured_ =
        measure::line_metrics(*profiles.front()->counters, counted_when(profiles.front()->counters_when).toStdString());
  fill_counters();
}

void CodePanel::fill_counters() {
  const QSignalBlocker block(counter_);
  const bool first = counter_->count() == 0;
  const QString kept = first ? QString() : counter_->currentData().toString();
  const bool none = !first && kept.isEmpty() && counter_->count() > 1;  // the user has chosen none
  counter_->clear();
  counter_->addItem(tr("No counter"), "");
  for (const std::vector<LineMetric>* list : {&metrics_, &measured_})
    for (const LineMetric& m : *list)
      counter_->addItem(tr("%1 (%2)").arg(qs(m.title), enum_text(m.provenance)), exact(m.id));
  const int found = counter_->findData(kept);
  counter_->setCurrentIndex(none ? 0 : !kept.isEmpty() && found > 0 ? found : counter_->count() > 1 ? 1 : 0);
  counter_->setVisible(counter_->count() > 1 && !editing_);
  show_counter();
}

void CodePanel::show_counter() {
  const std::string id = counter_->currentData().toString().toStdString();
  const LineMetric* metric = nullptr;
  for (const std::vector<LineMetric>* list : {&metrics_, &measured_})
    for (const LineMetric& m : *list)
      if (!id.empty() && m.id == id) metric = &m;
  const bool hints = hints_->isChecked();
  std::vector<CodeEditor::LineNote> notes;
  std::shared_ptr<LineHeat> heat;
  QList<int> lines;
  if (metric)
    for (const auto& [line, value] : metric->values) lines.append(line);
  if (hints) lines += access_.keys() + live_.keys();
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  if (metric) {
    heat = std::make_shared<LineHeat>();
    heat->title = qs(metric->title);
    heat->provenance = enum_text(metric->provenance);
  }
  for (const int line : lines) {
    CodeEditor::LineNote note{line, {}, 0};
    if (metric && metric->values.contains(line)) {
      const double value = metric->values.at(line);
      note.text = short_count(value);
      note.share = value / metric->most;
      heat->cells.insert(
          line,
          {note.text, tr("%1 (%2, %3)").arg(count_text(value), enum_text(metric->provenance), qs(metric->conditions)),
           note.share});
    }
    if (hints) note.text = hint_of_line(line);
    if (!note.text.isEmpty() || note.share > 0) notes.push_back(std::move(note));
  }
  source_->set_line_notes(notes);
  source_->set_line_tip([this](int line) { return tip_of_line(line); });
  for (ListingView* view : {ptx_, sass_}) {
    view->set_heat(heat);
    view->set_hints(hints);
  }
  QStringList says;
  if (hints) says << tr("How lines access global memory, with the sectors of each request");
  if (metric)
    says << (hints ? tr("the shade: ") : QString()) + tr("%1 of each source line, %2: 0 to %3, %4")
                                                          .arg(qs(metric->title), enum_text(metric->provenance),
                                                               short_count(metric->most), qs(metric->conditions));
  else if (counter_->count() == 1)
    says << (!candidate_ || !candidate_->record.verdict ? QString()
             : !candidate_->record.verdict->accepted    ? tr("No counts by line: only proved candidates are counted")
                                                        : tr("No counts by line: its device does not count them"));
  provenance_->set_text(says.join("; "));
}

// In place of the count, whose shade stays: both would leave too little room for the code.
QString CodePanel::hint_of_line(int line) const {
  QStringList parts;
  if (live_.contains(line)) parts += tr("%1r").arg(live_[line]);
  if (access_.contains(line))
    parts += room_for_hints_ ? access_[line].word : QString::number(access_[line].sectors_per_request, 'g', 3);
  return parts.join(' ');
}

QString CodePanel::tip_of_line(int line) const {
  QStringList tip;
  for (const compile::LogMessage& m : messages_)
    if (m.where.place.line == line) tip << tr("%1: %2").arg(state_title(m.severity), qs(m.where.message));
  for (const std::vector<LineMetric>* list : {&metrics_, &measured_})
    for (const LineMetric& m : *list)
      if (m.values.contains(line) && (tip.size() < 12))
        tip << tr("%1: %2 (%3, %4)")
                   .arg(qs(m.title), count_text(m.values.at(line)), enum_text(m.provenance), qs(m.conditions));
  if (access_.contains(line)) tip << access_[line].tip;
  if (live_.contains(line)) {
    tip << tr("%1 general registers are live at this line's peak (SASS, nvdisasm's live ranges)").arg(live_[line]);
  } else if (!tip.isEmpty() && candidate_) {
    for (const auto& r : candidate_->record.resources)
      tip << tr("%1 uses %2 registers per thread in total; show the SASS to see them by line")
                 .arg(qs(r.kernel))
                 .arg(r.registers);
  }
  return tip.join("\n");
}

}  // namespace ww::widgets
