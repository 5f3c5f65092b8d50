// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/candidates/candidate_panel.h"
#include <QResizeEvent>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QToolTip>
#include "panels/candidates/best_chart.h"
#include "panels/candidates/candidate_actions.h"
#include "panels/candidates/candidate_columns.h"
#include "panels/candidates/candidate_delegate.h"
#include "panels/candidates/candidate_table.h"
#include "panels/candidates/column_dialog.h"
#include "panels/candidates/order_hold.h"
#include "panels/candidates/query_edit.h"
#include "panels/candidates/result_reason.h"
#include "panels/candidates/result_text.h"
#include "panels/candidates/verdict_delegate.h"
#include "op/doubts.h"
#include "session/marks.h"
#include "session/signatures.h"
#include "session/measurer.h"
#include "session/session.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/clamped_label.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/theme.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

using C = CandidateModel;
constexpr int many_candidates = 20000;  // from here on the filter waits for the end of a word

}  // namespace

CandidatePanel::CandidatePanel(QWidget* parent)
    : QWidget(parent),
      model_(new CandidateModel(this)),
      filter_(new CandidateFilter(this)),
      notice_ends_(make_timer(this, 8000, [this] { notice(query_->problem(), "error"); })) {
  setProperty("role", "panel");
  auto* column = make_column(this, {grid::step, grid::step, grid::step, grid::half});
  make_bar();
  filter_->setSourceModel(model_);
  make_table();
  auto* holder = new QWidget(this);
  pages_ = new PageStack(holder);
  no_run_ = new EmptyPage(
      "run",
      tr("No candidates yet. Describe an operation, then press Run: proposals appear here while they are judged."),
      holder);
  no_run_->offer(tr("Describe an operation"), [this] { emit describe_wanted(); });
  empty_ = no_run_->sentence();
  pages_->addWidget(no_run_);
  pages_->addWidget(table_);
  no_match_ = new EmptyPage("search", {}, holder);
  pages_->addWidget(no_match_);
  column->addWidget(holder, 1);
  // Below the table, and always of two lines: a longer sentence moves no row under the pointer.
  auto* below = make_row(column);
  result_ = with_id(new ClampedLabel(2, this), "result");
  below->addWidget(result_, 1);
  best_ = new BestChart(this);
  below->addWidget(best_);
  connect(best_, &BestChart::clicked, this, &CandidatePanel::progress_wanted);
  notice_ = make_selectable(this, "filter_problem");
  notice_->hide();
  column->addWidget(notice_);

  connect(query_, &QueryEdit::query_changed, filter_, &CandidateFilter::set_query);
  connect(query_, &QueryEdit::problem_changed, this, [this](const QString& sentence) { notice(sentence, "error"); });
  connect(state_, &QComboBox::currentIndexChanged, this,
          [this] { filter_->set_state(state_->currentData().toString()); });
  connect(filter_, &CandidateFilter::filtered, this, &CandidatePanel::follow_filter);
  connect(model_, &QAbstractItemModel::modelReset, this, [this] {
    current_ = shown_best_ = 0;
    current_row_ = 0;
    update_pages();
  });
  // A row may become the current one before it is selected, or after.
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &CandidatePanel::follow_row);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CandidatePanel::follow_row);
  keep_in_sight();
  table_->viewport()->installEventFilter(this);
  connect(table_, &QTableView::activated, this, [this] {
    if (selected()) emit candidate_opened(selected());
  });
  auto* result = new LazyRefresh(this, 250, [this] { show_result(); });
  connect(model_, &QAbstractItemModel::modelReset, result, &LazyRefresh::later);
  connect(model_, &QAbstractItemModel::rowsInserted, result, &LazyRefresh::later);
  connect(model_, &CandidateModel::rows_changed, result, &LazyRefresh::later);
  connect(model_, &QAbstractItemModel::headerDataChanged, this, [this] {
    if (model_->score_provenance() == Provenance::measured) columns_->offer(C::Spread);  // counts have none
  });
  const auto prefer = [this] { columns_->prefer(C::Signed, model_->any_signed()); };
  connect(model_, &QAbstractItemModel::modelReset, this, prefer);
  connect(model_, &CandidateModel::rows_changed, this, prefer);
  update_pages();
}

void CandidatePanel::show_result() {
  const RunResult result = result_of(model_->rows());
  if (reason_) reason_->look(result);
  result_->setText(result_text(result, reason_ ? reason_->text() : QString(), running_, unconfirmed_));
  best_->show_rows(model_->rows());
}

void CandidatePanel::look_at_spec(const std::string& spec) {
  if (spec == std::exchange(spec_, spec)) return;
  unconfirmed_ = qs(op::unconfirmed_text(spec, op::Audience::glance));
  show_result();
}

void CandidatePanel::set_running(bool running) {
  if (running == std::exchange(running_, running)) return;
  show_result();
}

void CandidatePanel::make_bar() {
  auto* bar = new QHBoxLayout;
  bar->setSpacing(grid::step);
  title_ = make_elided(this, {}, "heading");
  title_->set_text(tr("Candidates"));
  counts_ = make_label(this, {}, "muted");
  query_ = with_id(new QueryEdit(this), "filter");
  query_->setMinimumWidth(80);
  auto* help = with_id(make_icon_tool(this, "help", tr("Filter syntax"), query_help()), "filter_help");
  connect(help, &QToolButton::clicked, this, [this, help] {
    QToolTip::showText(help->mapToGlobal(QPoint(0, help->height())), query_help(), this, {}, 60000);
  });
  state_ = with_id(new QComboBox(this), "state_filter");
  state_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  state_->setMinimumContentsLength(4);
  state_->addItem(tr("All"), "");
  state_->addItem(Theme::instance().icon("accepted", "accepted"), tr("Proved"), "accepted");
  state_->addItem(Theme::instance().icon("rejected", "rejected"), tr("Rejected"), "rejected");
  state_->addItem(Theme::instance().icon("warning", "warning"), tr("Not judged"), "not judged");
  state_->addItem(Theme::instance().icon("queued", "muted"), tr("Open"), "open");
  name_it(state_, tr("Filter candidates by verdict"), tr("Verdicts to show"));
  bar->addWidget(title_, 2);
  bar->addWidget(counts_);
  bar->addWidget(query_, 3);
  bar->addWidget(help);
  bar->addWidget(state_);
  static_cast<QVBoxLayout*>(layout())->addLayout(bar);
}

void CandidatePanel::make_table() {
  table_ = with_id(new CandidateTable(C::Name, this), "candidates");
  table_->setModel(filter_);
  table_->setItemDelegate(new CandidateDelegate(table_));
  table_->setItemDelegateForColumn(C::Verdict, new VerdictDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  table_->setSortingEnabled(true);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideRight);
  table_->setTabKeyNavigation(false);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setDragDropMode(QAbstractItemView::DragDrop);
  table_->setDragDropOverwriteMode(true);  // onto rows, not between them
  table_->setDefaultDropAction(Qt::CopyAction);
  table_->setContextMenuPolicy(Qt::CustomContextMenu);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  fit_rows(*table_);
  table_->setMinimumHeight(3 * table_->verticalHeader()->defaultSectionSize());  // the header, a row, the scroll bar
  QHeaderView* header = table_->horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionsMovable(true);
  header->setContextMenuPolicy(Qt::CustomContextMenu);
  name_it(table_, tr("Candidates of the run"));
  columns_ = new CandidateColumns(table_);
  auto* order = new OrderHold(table_, filter_);
  connect(order, &OrderHold::released, this, [this] {
    if (shows_best() && is_first(current_)) show_current(table_->horizontalScrollBar()->value());
  });
  connect(header, &QWidget::customContextMenuRequested, this, &CandidatePanel::show_header_menu);
  connect(table_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    if (actions_) actions_->menu()->popup(table_->viewport()->mapToGlobal(at));
  });
}

QTableView* CandidatePanel::table() const { return table_; }

void CandidatePanel::reset_columns() {
  columns_->reset();
  emit columns_reset();
}

void CandidatePanel::connect_to(const Context& context) {
  marks_ = new Marks(context, this);
  new Signatures(context, this);
  reason_ = new ResultReason(context, this);
  connect(reason_, &ResultReason::changed, this, &CandidatePanel::show_result);
  connect(context.session, &Session::state_changed, this, [this, session = context.session] {
    look_at_spec(session->shown_run() == 0 ? std::string() : session->shown_spec());
    set_running(session->running());
  });
  actions_ = new CandidateActions(context, marks_, this);
  query_->set_tags([this] {
    QStringList tags = marks_->tags();
    tags.removeIf([](const QString& tag) { return harmless(tag) != tag; });  // unreadable
    return tags;
  });
  connect(marks_, &Marks::problem, this, &CandidatePanel::problem);
  if (context.measurer)
    connect(context.measurer, &Measurer::measured, this, [this] {
      columns_->offer(C::Timed);
      reason_->look_again();
    });
  connect(marks_, &Marks::problem, this, [this](const QString& sentence) { notice(sentence, "error"); });
  connect(actions_, &CandidateActions::notice, this, [this](const QString& sentence) { notice(sentence, "warning"); });
  connect(marks_, &Marks::changed, this, [this] {
    // The current one was moved to the trash: select the next one.
    if (current_ != 0 && model_->marks(current_).trashed && model_->row_of(current_) >= 0 &&
        !filter_->mapFromSource(model_->index(model_->row_of(current_), 0)).isValid())
      go_to(current_row_);
    update_pages();
  });
}

void CandidatePanel::choose_columns() {
  open_once(new ColumnDialog(
      columns_, [this] { reset_columns(); }, this));
}

void CandidatePanel::show_header_menu(const QPoint& at) {
  QHeaderView* header = table_->horizontalHeader();
  auto* menu = with_id(new QMenu(this), "column_menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  for (int visual = 0; visual < header->count(); ++visual) {
    const int section = header->logicalIndex(visual);
    QAction* action = menu->addAction(columns_->title(section));
    action->setCheckable(true);
    action->setChecked(!header->isSectionHidden(section));
    action->setEnabled(header->isSectionHidden(section) || header->hiddenSectionCount() + 1 < header->count());
    connect(action, &QAction::toggled, columns_, [this, section](bool on) { columns_->choose(section, on); });
  }
  menu->addSeparator();
  menu->addAction(tr("Order of columns..."), this, &CandidatePanel::choose_columns);
  menu->addAction(tr("Default columns"), this, &CandidatePanel::reset_columns);
  menu->popup(header->mapToGlobal(at));
}

void CandidatePanel::notice(const QString& sentence, const char* role) {
  notice_ends_->stop();
  if (!sentence.isEmpty() && sentence != query_->problem()) notice_ends_->start();
  notice_->setText(sentence);
  set_role(notice_, role);
  notice_->setVisible(!sentence.isEmpty());
}

void CandidatePanel::follow_row() {
  const QModelIndex now = table_->currentIndex();
  if (!now.isValid() || !table_->selectionModel()->isRowSelected(now.row())) return;  // the focus alone came there
  current_row_ = now.row();
  const std::int64_t id = now.data(C::IdRole).toLongLong();
  if (id == current_) return;
  current_ = id;
  emit candidate_selected(id);
}

void CandidatePanel::follow_filter() {
  update_pages();
  if (current_ != 0 && !table_->currentIndex().isValid() && model_->row_of(current_) >= 0)
    select(current_);  // a filter had hidden it
}

void CandidatePanel::update_pages() {
  const int shown = filter_->rowCount(), all = model_->rowCount(), trash = filter_->hidden_in_trash();
  query_->set_delay(all > many_candidates ? 150 : 0);
  pages_->setCurrentIndex(all == 0 ? 0 : shown > 0 ? 1 : 2);
  if (all > 0 && shown == 0) show_no_match();
  if (all == 0)
    counts_->clear();
  else if (shown + trash == all)
    counts_->setText(trash == 0
                         ? counted(all, tr("candidate"), tr("candidates"))
                         : tr("%1, %2 in trash").arg(counted(shown, tr("candidate"), tr("candidates"))).arg(trash));
  else
    counts_->setText(tr("%1 of %2 shown").arg(shown).arg(all));
  if (wanted_ != 0 && model_->row_of(wanted_) >= 0) select(std::exchange(wanted_, 0));
}

void CandidatePanel::show_no_match() {
  const bool filtered = !query_->text().trimmed().isEmpty() || state_->currentIndex() > 0;
  no_match_->sentence()->setText(
      !filtered                            ? tr("All candidates of this run are in the trash.")
      : query_->text().trimmed().isEmpty() ? tr("No candidate of this run is \"%1\".").arg(state_->currentText())
      : state_->currentIndex() == 0
          ? tr("No candidate matches \"%1\".").arg(query_->text().trimmed())
          : tr("No candidate that is \"%1\" matches \"%2\".").arg(state_->currentText(), query_->text().trimmed()));
  if (filtered)
    no_match_->offer(tr("Clear the filter"), [this] { set_filter({}, 0); });
  else
    no_match_->offer(tr("Show the trash"), [this] { set_filter(QStringLiteral("is:trashed"), 0); });
}

QList<std::int64_t> CandidatePanel::selected_all() const {
  QList<std::int64_t> ids;
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  ids.reserve(rows.size());
  for (const QModelIndex& index : rows) ids.append(index.data(C::IdRole).toLongLong());
  if (ids.isEmpty() && table_->currentIndex().isValid()) ids.append(current_);
  return ids;
}

void CandidatePanel::select(std::int64_t candidate) {
  const int row = model_->row_of(candidate);
  if (row < 0) {
    wanted_ = candidate;
    return;
  }
  const QModelIndex index = filter_->mapFromSource(model_->index(row, C::Name));
  if (!index.isValid()) {  // filtered out: selected all the same, and shown when the filter lets it
    if (candidate == current_) return;
    table_->selectionModel()->clear();
    current_ = candidate;
    emit candidate_selected(candidate);
    return;
  }
  if (table_->currentIndex().row() == index.row()) {
    if (candidate == current_) return;
    const QSignalBlocker block(table_->selectionModel());  // the focus made the row current without selecting it
    table_->selectionModel()->clear();
  }
  const int left = table_->horizontalScrollBar()->value();
  table_->setCurrentIndex(index);
  show_current(left);
}

bool CandidatePanel::is_first(std::int64_t candidate) const {
  const int row = model_->row_of(candidate);
  return row >= 0 && model_->rows()[static_cast<std::size_t>(row)].data.rank == 1;
}

// Its row, with the columns where they were: `left` of the scroll bar.
void CandidatePanel::show_current(int left) {
  table_->scrollTo(table_->currentIndex());
  table_->horizontalScrollBar()->setValue(left);
}

// The row that the person chose, where it was in sight before the rows changed their order. One that was chosen for
// them moves away: the best stay in sight.
void CandidatePanel::keep_in_sight() {
  const auto in_sight = [this] {
    const QModelIndex now = table_->currentIndex();
    return now.isValid() && table_->viewport()->rect().intersects(table_->visualRect(now));
  };
  const auto look = [this, in_sight] { current_in_sight_ = in_sight(); };
  const auto follow = [this] {
    const QModelIndex now = table_->currentIndex();
    if (!now.isValid()) return;
    current_row_ = now.row();
    if (current_in_sight_ && !shows_best() && !filter_->held()) show_current(table_->horizontalScrollBar()->value());
  };
  connect(filter_, &QAbstractItemModel::layoutAboutToBeChanged, this, look);
  connect(filter_, &QAbstractItemModel::layoutChanged, this, follow);
  connect(filter_, &QAbstractItemModel::rowsAboutToBeInserted, this, look);
  connect(filter_, &QAbstractItemModel::rowsInserted, this, follow);
}

// The lines below the table grow with what they say, and the table gives way.
bool CandidatePanel::eventFilter(QObject* object, QEvent* event) {
  if (object == table_->viewport() && event->type() == QEvent::Resize) {
    const QModelIndex now = table_->currentIndex();
    const QRect before({}, static_cast<QResizeEvent*>(event)->oldSize());
    if (now.isValid() && (!shows_best() || is_first(current_)) && before.intersects(table_->visualRect(now)))
      QTimer::singleShot(0, this, [this] { show_current(table_->horizontalScrollBar()->value()); });
  }
  return QWidget::eventFilter(object, event);
}

void CandidatePanel::show_own(std::int64_t candidate) {
  const int row = model_->row_of(candidate);
  if (row < 0) return;
  const bool proved = model_->rows()[static_cast<std::size_t>(row)].data.state == store::CandidateState::accepted;
  if (current_ != 0 && (proved || !shows_best())) return;
  shown_best_ = proved ? candidate : 0;
  select(candidate);
}

void CandidatePanel::show_best() {
  const RunResult result = result_of(model_->rows());
  if (!result.best || (current_ != 0 && current_ != shown_best_)) return;
  shown_best_ = result.best->id;
  const int top = table_->verticalScrollBar()->value();
  select(shown_best_);
  show_current(table_->horizontalScrollBar()->value());             // the order may have changed around it
  if (filter_->held()) table_->verticalScrollBar()->setValue(top);  // no row moves under the pointer
}

void CandidatePanel::go_to(int row) {
  if (filter_->rowCount() == 0) return;
  table_->setCurrentIndex(filter_->index(qBound(0, row, filter_->rowCount() - 1), C::Name));
}

void CandidatePanel::show_title(const QString& text) { title_->set_text(text.isEmpty() ? tr("Candidates") : text); }

void CandidatePanel::show_empty(const QString& sentence) { empty_->setText(sentence); }

void CandidatePanel::focus_filter() {
  query_->setFocus(Qt::ShortcutFocusReason);
  query_->selectAll();
}

QString CandidatePanel::filter_text() const { return query_->text(); }
int CandidatePanel::shown_states() const { return state_->currentIndex(); }
void CandidatePanel::set_filter(const QString& text, int states) {
  query_->setText(text);
  state_->setCurrentIndex(states);
}

QByteArray CandidatePanel::save_header() const { return columns_->save(); }
void CandidatePanel::restore_header(const QByteArray& state) { columns_->restore(state); }

}  // namespace ww::widgets
