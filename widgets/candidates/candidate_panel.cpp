// SPDX-License-Identifier: GPL-3.0-or-later
#include "candidates/candidate_panel.h"
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QStackedLayout>
#include <QTableView>
#include "candidates/verdict_delegate.h"
#include "theme/elide_label.h"
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

CandidatePanel::CandidatePanel(QWidget* parent) : QWidget(parent), model_(new CandidateModel(this)), filter_(new CandidateFilter(this)) {
  setProperty("role", "panel");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(8, 6, 8, 4);
  column->setSpacing(6);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(8);
  title_ = new ElideLabel(this);
  title_->setProperty("role", "heading");
  title_->set_text(tr("Candidates"));
  counts_ = new QLabel(this);
  counts_->setProperty("role", "muted");
  words_ = new QLineEdit(this);
  words_->setObjectName("filter");
  words_->setPlaceholderText(tr("Filter by words"));
  words_->setClearButtonEnabled(true);
  words_->setMaximumWidth(200);
  name_it(words_, tr("Filter candidates by words"), tr("Words in name, verdict, parent or generator"));
  state_ = new QComboBox(this);
  state_->setObjectName("state_filter");
  state_->addItem(tr("All"), "");
  state_->addItem(Theme::instance().icon("accepted", "accepted"), tr("Accepted"), "accepted");
  state_->addItem(Theme::instance().icon("rejected", "rejected"), tr("Rejected"), "rejected");
  state_->addItem(Theme::instance().icon("error", "warning"), tr("Error"), "error");
  state_->addItem(Theme::instance().icon("queued", "muted"), tr("Open"), "open");
  name_it(state_, tr("Filter candidates by verdict"), tr("Which verdicts are shown"));
  bar->addWidget(title_, 1);
  bar->addWidget(counts_);
  bar->addWidget(words_);
  bar->addWidget(state_);
  column->addLayout(bar);

  filter_->setSourceModel(model_);
  table_ = new QTableView(this);
  table_->setObjectName("candidates");
  table_->setModel(filter_);
  table_->setItemDelegateForColumn(CandidateModel::Verdict, new VerdictDelegate(table_));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setSortingEnabled(true);
  table_->sortByColumn(CandidateModel::Rank, Qt::AscendingOrder);
  table_->setAlternatingRowColors(true);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setTabKeyNavigation(false);
  table_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(table_->fontMetrics().height() + 10);
  table_->horizontalHeader()->setHighlightSections(false);
  table_->horizontalHeader()->setSectionsMovable(true);
  table_->horizontalHeader()->setMinimumSectionSize(44);
  name_it(table_, tr("Candidates of the run"));
  const int widths[] = {58, 268, 116, 144, 96, 76, 108, 120, 92};
  for (int i = 0; i < CandidateModel::ColumnCount; ++i) table_->setColumnWidth(i, widths[i]);

  auto* holder = new QWidget(this);
  pages_ = new QStackedLayout(holder);
  empty_ = empty_state(tr("No candidates yet. Describe an operation, then press Explore: proposals appear here while they are judged."), holder);
  pages_->addWidget(empty_);
  pages_->addWidget(table_);
  column->addWidget(holder, 1);

  connect(words_, &QLineEdit::textChanged, this, [this](const QString& words) {
    filter_->set_words(words);
    update_pages();
  });
  connect(state_, &QComboBox::currentIndexChanged, this, [this] {
    filter_->set_state(state_->currentData().toString());
    update_pages();
  });
  for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
    connect(model_, signal, this, &CandidatePanel::update_pages);
  connect(model_, &QAbstractItemModel::modelReset, this, &CandidatePanel::update_pages);
  connect(model_, &QAbstractItemModel::dataChanged, this, &CandidatePanel::update_pages);
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &CandidatePanel::selection_changed);
  connect(table_, &QTableView::activated, this, [this] {
    if (selected()) emit candidate_opened(selected());
  });
  update_pages();
}

void CandidatePanel::update_pages() {
  const int shown = filter_->rowCount(), all = model_->rowCount();
  if (all == 0) {
    pages_->setCurrentWidget(empty_);
    counts_->clear();
  } else {
    pages_->setCurrentWidget(table_);
    counts_->setText(shown == all ? counted(all, tr("candidate"), tr("candidates")) : tr("%1 of %2 shown").arg(shown).arg(all));
  }
  if (wanted_ != 0 && model_->row_of(wanted_) >= 0) {
    const std::int64_t id = wanted_;
    wanted_ = 0;
    select(id);
  }
}

std::int64_t CandidatePanel::selected() const {
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? 0 : rows.first().data(CandidateModel::IdRole).toLongLong();
}

void CandidatePanel::select(std::int64_t candidate) {
  const int row = model_->row_of(candidate);
  if (row < 0) {
    wanted_ = candidate;
    return;
  }
  const QModelIndex index = filter_->mapFromSource(model_->index(row, CandidateModel::Name));
  if (!index.isValid()) return;  // filtered out
  table_->setCurrentIndex(index);
  table_->scrollTo(index);
}

void CandidatePanel::selection_changed() {
  const std::int64_t id = selected();
  if (id == reported_) return;
  reported_ = id;
  emit candidate_selected(id);
}

void CandidatePanel::show_title(const QString& text) {
  title_->set_text(text.isEmpty() ? tr("Candidates") : text);
}

void CandidatePanel::show_empty(const QString& sentence) { empty_->setText(sentence); }

void CandidatePanel::focus_filter() {
  words_->setFocus(Qt::ShortcutFocusReason);
  words_->selectAll();
}

QByteArray CandidatePanel::save_header() const { return table_->horizontalHeader()->saveState(); }
void CandidatePanel::restore_header(const QByteArray& state) { table_->horizontalHeader()->restoreState(state); }

}  // namespace ww::widgets
