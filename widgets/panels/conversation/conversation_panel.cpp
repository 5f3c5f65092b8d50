// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/conversation/conversation_panel.h"
#include <QComboBox>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStackedLayout>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include "panels/conversation/exchange_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/empty_page.h"

namespace ww::widgets {

namespace {
constexpr int side_by_side = 560;  // pixels: from here on the list and the exchange are side by side
constexpr int wide = 760;          // and the first column is wider
constexpr int look_again_ms = 400;
constexpr int narrow_request = 130, wide_request = 208;  // width of the first column
}  // namespace

ConversationPanel::ConversationPanel(QWidget* parent) : QWidget(parent), model_(new ExchangeModel(this)) {
  setProperty("role", "panel");
  auto* outer = make_column(this, {0, grid::half, 0, 0}, grid::half);
  auto* bar = make_row(outer, {grid::step, 0, grid::step, 0});
  which_ = with_id(new QComboBox(this), "which_exchanges");
  which_->addItem(tr("This run"));
  which_->addItem(tr("Outside runs"));
  name_it(which_, tr("Exchanges to list"), tr("Exchanges of the shown run, or those outside runs"));
  counts_ = make_label(this, "exchange_counts", "muted");
  bar->addWidget(which_);
  bar->addWidget(counts_, 1);

  const ContentPages made = content_pages(outer, "note");
  pages_ = made.pages;
  empty_ = made.empty;
  split_ = make_splitter(Qt::Vertical, made.content);
  table_ = make_records(split_, "exchanges", model_, tr("Requests to models"), {narrow_request, 104, 72, 60, 58, 200});
  table_->setShowGrid(false);
  table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  table_->horizontalHeader()->setMinimumSectionSize(44);
  table_->setMinimumHeight(80);
  view_ = new ExchangePanel(split_);
  view_->setMinimumWidth(220);
  made.page->offer(tr("Describe an operation"), [this] { emit describe_wanted(); });
  view_->empty()->offer(tr("Show the newest"), [this] {
    if (model_->rowCount() > 0) select(model_->rows().back().record.id);
  });
  split_->addWidget(table_);
  split_->addWidget(view_);
  split_->setSizes({180, 220});
  make_column(made.content)->addWidget(split_);
  again_ = make_timer(this, look_again_ms, [this] { ask(); });
  connect(which_, &QComboBox::activated, this, [this] {
    model_->clear();
    selection_changed();
    ask();
    update_page();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &ConversationPanel::selection_changed);
  update_page();
}

bool ConversationPanel::outside() const { return which_->currentIndex() == 1; }

void ConversationPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  table_->setColumnWidth(ExchangeModel::What, width() >= wide ? wide_request : narrow_request);
  const Qt::Orientation wanted = width() >= side_by_side ? Qt::Horizontal : Qt::Vertical;
  if (wanted == split_->orientation()) return;
  split_->setOrientation(wanted);
  split_->setSizes(wanted == Qt::Horizontal
                       ? QList<int>{std::min(520, width() * 11 / 20), std::max(width() - 520, width() * 9 / 20)}
                       : QList<int>{180, 220});
}

void ConversationPanel::ask() {
  again_->stop();
  emit list_wanted(wanted_run());
}

void ConversationPanel::show_run(std::int64_t run) {
  if (run == run_ && run != 0) return;
  run_ = run;
  spend_ = {};
  wanted_candidate_.clear();
  again_->stop();
  if (outside()) return;
  model_->clear();
  selection_changed();
  if (run_ != 0) ask();
  update_page();
}

bool ConversationPanel::at_newest() const {
  const int last = model_->rowCount() - 1;
  return last < 0 || table_->currentIndex().row() == last;
}

void ConversationPanel::show_events(const std::vector<explore::Event>& batch, bool news) {
  if (outside()) return;
  const int last = model_->rowCount() - 1;
  const bool follow = at_newest();
  const bool ended = model_->apply(batch);
  if (const ExchangeModel::Row* row = ended ? model_->find(selected()) : nullptr;
      row && row->record.state != store::ExchangeState::sent) {
    view_->show_row(*row);
    emit exchange_wanted(row->record.id);  // the reply was stored before it was reported
  }
  for (const ExchangeModel::Growth& g : model_->growth())
    if (const ExchangeModel::Row* row = model_->find(g.exchange)) view_->grow(g.delta, *row);
  if ((ended || (news && model_->rowCount() > 0)) && !again_->isActive()) again_->start();
  if (follow && model_->rowCount() - 1 > last) select(model_->rows().back().record.id);
  update_page();
}

void ConversationPanel::show_list(std::int64_t run, const std::vector<store::ExchangeRecord>& exchanges) {
  if (run != wanted_run()) return;
  const ExchangeModel::Row* before = model_->find(selected());
  using State = std::pair<store::ExchangeState, store::ExchangeOutcome>;
  const State state = before ? State(before->record.state, before->record.outcome) : State();
  const int last = model_->rowCount() - 1;
  const bool follow = at_newest();  // the store may know a request before its event arrives
  model_->merge(exchanges);
  if (wanted_ != 0 && model_->row_of(wanted_) >= 0) {
    const std::int64_t id = wanted_;
    wanted_ = 0;
    select(id);
  } else if (const std::int64_t id = model_->of_candidate(wanted_candidate_); id != 0) {
    wanted_candidate_.clear();
    select(id);
  } else if ((selected() == 0 && model_->rowCount() > 0) || (follow && model_->rowCount() - 1 > last)) {
    select(model_->rows().back().record.id);
  } else if (const ExchangeModel::Row* now = model_->find(selected());
             now && State(now->record.state, now->record.outcome) != state) {
    emit exchange_wanted(now->record.id);  // it has ended: the store has all of it
  }
  update_page();
  if (run == run_ && run != 0) {
    spend_ = model_->spend();
    emit spend_changed();
  }
}

void ConversationPanel::show_exchange(const std::shared_ptr<const ExchangeView>& exchange) {
  view_->show_stored(exchange);
}

std::int64_t ConversationPanel::selected() const {
  const int row = table_->currentIndex().row();
  return row < 0 || row >= model_->rowCount() ? 0 : model_->rows()[static_cast<std::size_t>(row)].record.id;
}

void ConversationPanel::select(std::int64_t exchange) {
  const int row = model_->row_of(exchange);
  if (row < 0) return;
  by_hand_ = false;
  table_->setCurrentIndex(model_->index(row, 0));
  table_->scrollTo(model_->index(row, 0));
  by_hand_ = true;
}

void ConversationPanel::select_candidate(const std::string& hash) {
  if (outside()) return;
  wanted_candidate_.clear();
  if (const std::int64_t id = model_->of_candidate(hash); id != 0)
    select(id);
  else
    wanted_candidate_ = hash;  // its exchange may not be read yet
}

void ConversationPanel::select_outside(std::int64_t exchange) {
  wanted_ = exchange;
  if (!outside()) {
    which_->setCurrentIndex(1);
    model_->clear();
    selection_changed();
  }
  ask();
  update_page();
}

void ConversationPanel::selection_changed() {
  const std::int64_t id = selected();
  const ExchangeModel::Row* row = model_->find(id);
  if (!row) {
    reported_ = 0;
    view_->show_none(tr("Select an exchange to read its request and reply."));
    return;
  }
  view_->show_row(*row);
  if (id == reported_) return;
  reported_ = id;
  emit exchange_wanted(id);
  if (by_hand_ && !row->record.candidate.empty()) emit candidate_chosen(qs(row->record.candidate));
}

void ConversationPanel::update_page() {
  const int n = model_->rowCount();
  pages_->setCurrentIndex(n > 0 ? 1 : 0);
  empty_->setText(outside()   ? tr("No model has been asked outside runs. Use \u201cAsk a model\u201d beside a "
                                     "sentence that was not understood.")
                  : run_ == 0 ? tr("All prompts and replies are stored here verbatim. Choose the generator "
                                   "\u201cLanguage model\u201d, then press Run.")
                              : tr("No model has been asked in this run."));
  if (n == 0) {
    counts_->clear();
    return;
  }
  const llm::Spend spend = model_->spend();
  QStringList parts = {counted(n, tr("request"), tr("requests"))};
  if (spend.failed > 0) parts += tr("%1 failed").arg(spend.failed);
  counts_->setText(parts.join(", "));
}

}  // namespace ww::widgets
