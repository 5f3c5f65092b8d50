// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_actions.h"
#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QMouseEvent>
#include <QPlainTextEdit>
#include <QTableView>
#include <algorithm>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_columns.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/candidates/tag_dialog.h"
#include "session/marks.h"
#include "session/measurer.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"

namespace ww::widgets {

CandidateActions::CandidateActions(const Context& context, Marks* marks, CandidatePanel* panel)
    : QObject(panel), context_(context), marks_(marks), panel_(panel) {
  const auto key = [](Qt::Key k) { return QKeySequence(k); };
  compare_ = add("candidates.compare", tr("&Compare"), key(Qt::Key_Space), {},
                 tr("Add the selected candidates to the comparison, or remove them"), [this] { toggle_compare(); });
  baseline_ = add("candidates.baseline", tr("Make &baseline, or clear it"), key(Qt::Key_B), "baseline",
                  tr("Compare everything with the selected candidate, or each candidate with its parent again"),
                  [this] { set_baseline(); });
  add_comparison();
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
  keep_ = context_.registry->add("candidates.keep_open", tr("Candidates"), tr("&Keep open"), {}, {},
                                 tr("Open the selected candidates in tabs of the panel Code that stay"),
                                 [this] { emit panel_->keep_wanted(panel_->selected_all()); });
  panel_->table()->viewport()->installEventFilter(this);
  add_measuring();
  connect(context_.candidates, &CandidateModel::compare_wanted, this,
          [this](std::int64_t candidate, bool on) { compare({candidate}, on); });
  connect(context_.candidates, &CandidateModel::dropped, this, [this](std::int64_t candidate, std::int64_t onto) {
    context_.selection->set_baseline(onto);
    context_.selection->set_current(candidate);
    show_diff(candidate, onto);
  });
  connect(context_.candidates, &QAbstractItemModel::modelReset, this, &CandidateActions::follow_selection);
  connect(context_.selection, &Selection::compared_changed, this, &CandidateActions::follow_selection);
  connect(context_.selection, &Selection::baseline_changed, this, &CandidateActions::follow_selection);
  follow_selection();
}

void CandidateActions::add_comparison() {
  Registry& r = *context_.registry;
  const QString category = tr("Comparison");
  r.add("comparison.add", category, tr("&Add to the comparison"), {}, {},
        tr("Add the selected candidates to the comparison"), [this] { compare(panel_->selected_all(), true); });
  r.add("comparison.remove", category, tr("&Remove from the comparison"), {}, {},
        tr("Take the selected candidates out of the comparison"), [this] { compare(panel_->selected_all(), false); });
  clear_ = r.add("comparison.clear", category, tr("&Clear the comparison"), {}, {},
                 tr("Take all candidates out of the comparison"), [this] { context_.selection->set_places({}); });
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
        tr("Time well-known implementations of the op together with each selected candidate"),
        Measurer::Kind::baseline);
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
  if (all) return;
  const auto stays = std::find_if(ids.begin(), ids.end(), [this](std::int64_t id) {
    return review::is_signed(context_.candidates->review_state(id));
  });
  if (stays != ids.end())
    emit notice(tr("#%1 is signed. The trash only hides it: its receipt stays. %2 brings it back.")
                    .arg(*stays)
                    .arg(QKeySequence(QKeySequence::Undo).toString(QKeySequence::NativeText)));
}

void CandidateActions::toggle_compare() {
  const QList<std::int64_t> ids = panel_->selected_all();
  const Selection& selection = *context_.selection;
  compare(ids, !std::all_of(ids.begin(), ids.end(), [&](std::int64_t id) { return selection.place(id) >= 0; }));
}

void CandidateActions::compare(const QList<std::int64_t>& candidates, bool on) {
  for (const std::int64_t id : candidates)
    if (!context_.selection->compare(id, on)) {
      emit notice(tr("At most %1 candidates can be compared; remove one first.").arg(Selection::most_compared));
      return;
    }
}

void CandidateActions::follow_selection() {
  const Selection& s = *context_.selection;
  clear_->setEnabled(!s.compared().isEmpty());
  context_.candidates->set_selection(s.baseline(), s.places());
}

// The panel of differences follows the selection and its baseline.
void CandidateActions::show_diff(std::int64_t candidate, std::int64_t with) {
  emit panel_->diff_wanted(candidate, with);
  context_.registry->trigger("go.diff");
}

bool CandidateActions::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::MouseButtonRelease) {
    const auto* mouse = static_cast<QMouseEvent*>(event);
    const QModelIndex at = panel_->table()->indexAt(mouse->position().toPoint());
    if (mouse->button() == Qt::MiddleButton && at.isValid())
      emit panel_->keep_wanted({at.data(CandidateModel::IdRole).toLongLong()});
  }
  return QObject::eventFilter(object, event);
}

void CandidateActions::set_baseline() {
  const std::int64_t id = panel_->selected();
  if (id != 0) context_.selection->set_baseline(context_.selection->baseline() == id ? 0 : id);
}

void CandidateActions::edit_tags() {
  const QList<std::int64_t> ids = panel_->selected_all();
  if (ids.isEmpty()) return;
  open_once(new TagDialog(marks_, ids, panel_));
}

void CandidateActions::edit_note() {
  const std::int64_t id = panel_->selected();
  if (id == 0) return;
  auto* dialog = with_id(new QInputDialog(panel_), "note_dialog");
  dialog->setWindowTitle(tr("Note on candidate #%1").arg(id));
  dialog->setLabelText(tr("For yourself, not part of a review. Leave it empty to remove the note."));
  dialog->setOption(QInputDialog::UsePlainTextEditForTextInput);
  dialog->setTextValue(marks_->of(id).note);
  name_it(dialog->findChild<QPlainTextEdit*>(), tr("Note"));
  connect(dialog, &QInputDialog::textValueSelected, this,
          [this, id](const QString& text) { marks_->set_note(id, text); });
  ask_before_discarding(dialog);
  open_once(dialog);
}

QMenu* CandidateActions::menu() {
  auto* menu = with_id(new QMenu(panel_), "candidate_menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const QList<std::int64_t> ids = panel_->selected_all();
  const auto all = [&](auto is) { return !ids.isEmpty() && std::all_of(ids.begin(), ids.end(), is); };
  // The same actions with names that say what they will do now.
  const auto entry = [&](QAction* of, const QString& text) {
    QAction* a = menu->addAction(of->icon(), text + "\t" + of->shortcut().toString(QKeySequence::NativeText), of,
                                 &QAction::trigger);
    a->setObjectName(of->objectName());
    a->setStatusTip(of->statusTip());
    a->setEnabled(!ids.isEmpty() || of == columns_);
    return a;
  };
  entry(compare_, all([this](std::int64_t id) { return context_.selection->place(id) >= 0; }) ? tr("Stop &comparing")
                                                                                              : tr("&Compare"));
  const std::int64_t id = panel_->selected();
  entry(baseline_,
        id != 0 && context_.selection->baseline() == id ? tr("Clear the &baseline") : tr("Set as &baseline"));
  QAction* diff = menu->addAction(tr("&Differences from the baseline"), this,
                                  [this] { show_diff(panel_->selected(), context_.selection->baseline()); });
  diff->setEnabled(id != 0 && context_.selection->baseline() != 0 && context_.selection->baseline() != id);
  entry(keep_, tr("&Keep open in a tab"));
  menu->addSeparator();
  for (const Measuring& m : measuring_) {
    const QString why = ids.isEmpty() || m.action->isEnabled() ? QString() : context_.measurer->short_why_not();
    QAction* a = entry(m.action, why.isEmpty() ? m.action->text() : tr("%1 (%2)").arg(m.action->text(), why));
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
    if (header->isSectionHidden(section) && !panel_->columns()->no_room(section)) continue;
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
