// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_actions.h"
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QScopedValueRollback>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/candidates/tag_dialog.h"
#include "session/marks.h"
#include "session/measurer.h"
#include "session/selection.h"
#include "parts/theme/controls.h"

namespace ww::widgets {

CandidateActions::CandidateActions(const Context& context, Marks* marks, CandidatePanel* panel)
    : QObject(panel), context_(context), marks_(marks), panel_(panel) {
  const auto key = [](Qt::Key k) { return QKeySequence(k); };
  compare_ = add("candidates.compare", tr("&Compare"), key(Qt::Key_Space), "check",
                 tr("Add the selected candidates to the comparison in the profile panels, or remove them"),
                 [this] { toggle_compare(); });
  baseline_ = add("candidates.baseline", tr("&Baseline"), key(Qt::Key_B), "baseline",
                  tr("Compare everything with the selected candidate, or each with its own parent again"),
                  [this] { set_baseline(); });
  pin_ = add("candidates.pin", tr("&Pin"), key(Qt::Key_P), "pin", tr("Pin or unpin the selected candidates"),
             [this] { toggle_pin(); });
  tag_ = add("candidates.tag", tr("&Tags..."), key(Qt::Key_T), "tag",
             tr("Add or remove tags of the selected candidates"), [this] { edit_tags(); });
  note_ = add("candidates.note", tr("&Note..."), key(Qt::Key_N), "note", tr("Write a note on the candidate"),
              [this] { edit_note(); });
  trash_ = add("candidates.trash", tr("Move to t&rash"), key(Qt::Key_Delete), "trash",
               tr("Hide the selected candidates, or restore them from the trash; nothing is deleted"),
               [this] { toggle_trash(); });
  columns_ = add("candidates.columns", tr("C&olumns..."), key(Qt::Key_C), "columns",
                 tr("Choose the columns of the table and their order"), [this] { panel_->choose_columns(); });
  add_measuring();
  connect(context_.candidates, &CandidateModel::compare_wanted, this, &CandidateActions::compare);
  connect(context_.candidates, &CandidateModel::dropped, this, [this](std::int64_t candidate, std::int64_t onto) {
    context_.selection->set_baseline(onto);
    context_.selection->set_current(candidate);
    show_diff(candidate, onto);
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, [this] {
    kept_.clear();
    current_ = 0;
    follow_compared();
  });
  connect(context_.selection, &Selection::current_changed, this, &CandidateActions::follow_selection);
  connect(context_.selection, &Selection::compared_changed, this, &CandidateActions::follow_compared);
  connect(context_.selection, &Selection::baseline_changed, this, &CandidateActions::follow_compared);
  follow_selection();
}

void CandidateActions::add_measuring() {
  Measurer* measurer = context_.measurer;
  if (!measurer) return;
  const auto entry = [&](const char* id, const QString& text, const QString& summary, Measurer::Kind kind) {
    QAction* action = context_.registry->add(id, tr("Candidates"), text, {}, {}, summary,
                                             [this, measurer, kind] { measurer->start(kind, panel_->selected_all()); });
    measuring_.append({action, summary});
  };
  entry("candidates.measure", tr("&Measure times"),
        tr("Time the selected candidates on the run's GPU; several are timed in turn"), Measurer::Kind::time);
  entry("candidates.profile", tr("Pro&file"),
        tr("Read the hardware counters of the selected candidates on the run's GPU"), Measurer::Kind::counters);
  entry("candidates.baselines", tr("Compare &with baselines"),
        tr("Time well-known implementations of the op beside each selected candidate"), Measurer::Kind::baseline);
  connect(measurer, &Measurer::state_changed, this, &CandidateActions::follow_measurer);
  follow_measurer();
}

void CandidateActions::follow_measurer() {
  const QString why = context_.measurer->why_not();
  for (const Measuring& m : measuring_) {
    m.action->setEnabled(why.isEmpty());
    m.action->setStatusTip(why.isEmpty() ? m.summary : why);
    m.action->setToolTip(m.action->statusTip());
  }
}

QAction* CandidateActions::add(const QString& id, const QString& text, const QKeySequence& key, const QString& icon,
                               const QString& summary, std::function<void()> run) {
  QAction* action = context_.registry->add(id, tr("Candidates"), text, key, icon, summary, std::move(run));
  action->setShortcutContext(Qt::WidgetShortcut);
  panel_->table()->addAction(action);
  return action;
}

void CandidateActions::toggle_pin() {
  const QList<std::int64_t> ids = panel_->selected_all();
  const bool all = std::all_of(ids.begin(), ids.end(), [this](std::int64_t id) { return marks_->of(id).pinned; });
  marks_->pin(ids, !all);
}

void CandidateActions::toggle_trash() {
  const QList<std::int64_t> ids = panel_->selected_all();
  const bool all = std::all_of(ids.begin(), ids.end(), [this](std::int64_t id) { return marks_->of(id).trashed; });
  marks_->trash(ids, !all);
}

void CandidateActions::toggle_compare() {
  const QList<std::int64_t> ids = panel_->selected_all();
  const bool all = std::all_of(ids.begin(), ids.end(), [this](std::int64_t id) { return kept_.contains(id); });
  for (const std::int64_t id : ids) {
    const auto before = kept_.size();
    compare(id, !all);
    if (!all && kept_.size() == before && !kept_.contains(id)) return;  // one sentence is enough
  }
}

void CandidateActions::compare(std::int64_t candidate, bool on) {
  if (candidate == 0 || on == kept_.contains(candidate)) return;
  if (on && kept_.size() - kept_.count(current_) + (candidate == current_ ? 0 : 1) >= Selection::most_compared) {
    emit refused(tr("At most %1 candidates can be compared; remove one first.").arg(Selection::most_compared));
    return;
  }
  if (on)
    kept_.append(candidate);
  else
    kept_.removeAll(candidate);
  if (candidate == current_ || context_.selection->compare(candidate, on)) follow_compared();
}

void CandidateActions::follow_selection() {
  const std::int64_t left = std::exchange(current_, context_.selection->current());
  const QScopedValueRollback guard(following_, true);
  if (current_ != 0 && current_ == dropped_ && !kept_.contains(current_))
    kept_.append(current_);  // it was taken out for being the current one now
  dropped_ = 0;
  // The one that was left stays where it was ticked. There may be one too many: then the tick goes, too.
  if (left != current_ && left != 0 && current_ != 0 && kept_.contains(left) &&
      !context_.selection->compare(left, true)) {
    kept_.removeAll(left);
    emit refused(
        tr("#%1 was removed from the comparison: at most %2 candidates fit.").arg(left).arg(Selection::most_compared));
  }
  follow_compared();
}

// The comparison may have been changed elsewhere; the current one's tick is set here alone.
void CandidateActions::follow_compared() {
  const QList<std::int64_t>& compared = context_.selection->compared();
  const std::int64_t current = context_.selection->current();
  if (!following_ && current == current_) {
    kept_.removeIf([&](std::int64_t id) {
      if (id == current || compared.contains(id)) return false;
      dropped_ = id;
      QTimer::singleShot(0, this, [this] { dropped_ = 0; });
      return true;
    });
    for (const std::int64_t id : compared)
      if (!kept_.contains(id)) kept_.append(id);
  }
  context_.candidates->set_selection(context_.selection->baseline(), QList<std::int64_t>{current} + compared, kept_);
}

// The panel of differences follows the selection and its baseline.
void CandidateActions::show_diff(std::int64_t candidate, std::int64_t with) {
  emit panel_->diff_wanted(candidate, with);
  context_.registry->trigger("go.diff");
}

void CandidateActions::set_baseline() {
  const std::int64_t id = panel_->selected();
  if (id != 0) context_.selection->set_baseline(context_.selection->baseline() == id ? 0 : id);
}

void CandidateActions::edit_tags() {
  const QList<std::int64_t> ids = panel_->selected_all();
  if (ids.isEmpty()) return;
  auto* dialog = new TagDialog(marks_, ids, panel_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->open();
}

void CandidateActions::edit_note() {
  const std::int64_t id = panel_->selected();
  if (id == 0) return;
  auto* dialog = with_id(new QInputDialog(panel_), "note_dialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Note on candidate #%1").arg(id));
  dialog->setLabelText(tr("For yourself, not part of a review. Leave it empty to remove the note."));
  dialog->setOption(QInputDialog::UsePlainTextEditForTextInput);
  dialog->setTextValue(marks_->of(id).note);
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, id](const QString& text) { marks_->set_note(id, text); });
  dialog->open();
}

QMenu* CandidateActions::menu() {
  auto* menu = with_id(new QMenu(panel_), "candidate_menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QList<std::int64_t> ids = panel_->selected_all();
  const auto all = [&](auto is) { return !ids.isEmpty() && std::all_of(ids.begin(), ids.end(), is); };
  // The same actions by names that say what they will do now.
  const auto entry = [&](QAction* of, const QString& text) {
    QAction* a = menu->addAction(of->icon(), text + "\t" + of->shortcut().toString(QKeySequence::NativeText), of,
                                 &QAction::trigger);
    a->setObjectName(of->objectName());
    a->setStatusTip(of->statusTip());
    a->setEnabled(!ids.isEmpty() || of == columns_);
    return a;
  };
  entry(compare_, all([this](std::int64_t id) { return kept_.contains(id); }) ? tr("Stop &comparing") : tr("&Compare"));
  const std::int64_t id = panel_->selected();
  entry(baseline_,
        id != 0 && context_.selection->baseline() == id ? tr("Clear the &baseline") : tr("Set as &baseline"));
  QAction* diff = menu->addAction(tr("&Differences from the baseline"), this,
                                  [this] { show_diff(panel_->selected(), context_.selection->baseline()); });
  diff->setEnabled(id != 0 && context_.selection->baseline() != 0 && context_.selection->baseline() != id);
  menu->addSeparator();
  for (const Measuring& m : measuring_) {
    QAction* a = entry(m.action, m.action->text());
    a->setEnabled(!ids.isEmpty() && m.action->isEnabled());
    a->setToolTip(m.action->toolTip());
  }
  menu->setToolTipsVisible(true);
  if (QAction* out = context_.registry->action("candidates.export")) entry(out, out->text())->setEnabled(id != 0);
  menu->addSeparator();
  entry(pin_, all([this](std::int64_t i) { return marks_->of(i).pinned; }) ? tr("Un&pin") : tr("&Pin"));
  entry(tag_, tr("&Tags..."));
  entry(note_, tr("&Note..."));
  entry(trash_, all([this](std::int64_t i) { return marks_->of(i).trashed; }) ? tr("Restore from t&rash")
                                                                              : tr("Move to t&rash"));
  menu->addSeparator();
  QMenu* sort = menu->addMenu(tr("&Sort by"));
  QHeaderView* header = panel_->table()->horizontalHeader();
  for (int visual = 0; visual < header->count(); ++visual) {
    const int section = header->logicalIndex(visual);
    if (header->isSectionHidden(section)) continue;
    const bool now = section == header->sortIndicatorSection(), up = header->sortIndicatorOrder() == Qt::AscendingOrder;
    const QString name = header->model()->headerData(section, Qt::Horizontal, Qt::DisplayRole).toString();
    QAction* a = sort->addAction(!now ? name
                                 : up ? tr("%1 (now ascending)").arg(name)
                                      : tr("%1 (now descending)").arg(name));
    a->setCheckable(true);
    a->setChecked(now);
    connect(a, &QAction::triggered, header, [this, section, now, up] {
      panel_->table()->sortByColumn(section, now && up ? Qt::DescendingOrder : Qt::AscendingOrder);
    });
  }
  entry(columns_, tr("C&olumns..."));
  return menu;
}

}  // namespace ww::widgets
