// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/diff/candidate_picker.h"
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>
#include "session/compared_names.h"
#include "session/guests.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "parts/theme/controls.h"
#include "parts/theme/flow_layout.h"

namespace ww::widgets {

class PickerModel : public QSortFilterProxyModel {  // "#12 name", found by words in it
 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_words(const QString& text) {
    words_ = text.split(' ', Qt::SkipEmptyParts);
    invalidateFilter();
  }
  QVariant data(const QModelIndex& index, int role) const override {
    if (role == Qt::DisplayRole) return text_of(mapToSource(index).row());
    if (role == Qt::ToolTipRole) return data(index, Qt::DisplayRole);
    return role == CandidateModel::IdRole ? QSortFilterProxyModel::data(index, role) : QVariant();
  }

 protected:
  bool filterAcceptsRow(int row, const QModelIndex&) const override {
    const QString text = words_.isEmpty() ? QString() : text_of(row);
    return std::all_of(words_.begin(), words_.end(),
                       [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
  }

 private:
  QString text_of(int row) const {
    const auto& rows = static_cast<const CandidateModel*>(sourceModel())->rows();
    if (row < 0 || row >= static_cast<int>(rows.size())) return {};
    const explore::CandidateRow& r = rows[static_cast<std::size_t>(row)].data;
    return "#" + QString::number(r.id) + "  " + CandidateModel::name_of(r) +
           (r.state == store::CandidateState::unknown ? QString() : "  \u00b7  " + CandidateModel::verdict_of(r));
  }
  QStringList words_;
};

CandidatePicker::CandidatePicker(const Context& context, const QString& what, QWidget* parent)
    : QToolButton(parent), context_(context), model_(context.candidates), what_(what) {
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setFocusPolicy(Qt::StrongFocus);
  setProperty("role", "segment");
  popup_ = with_id(new QWidget(this, Qt::Popup), "picker_popup");
  popup_->setProperty("role", "panel");
  auto* column = make_column(popup_, grid::panel);
  compared_ = with_id(new QWidget(popup_), "picker_compared");
  new FlowLayout(compared_, grid::half);
  column->addWidget(compared_);
  words_ = make_search(popup_, {}, tr("Search by number or words"), tr("Search candidates"));
  list_ = new QListView(popup_);
  list_->setUniformItemSizes(true);
  list_->setTextElideMode(Qt::ElideRight);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  name_it(list_, tr("Candidates of the run"));
  rows_ = new PickerModel(this);
  list_->setModel(rows_);
  column->addWidget(words_);
  column->addWidget(list_, 1);
  words_->installEventFilter(this);
  connect(words_, &QLineEdit::textChanged, this, [this](const QString& text) {
    rows_->set_words(text);
    list_->setCurrentIndex(rows_->index(0, 0));
  });
  connect(words_, &QLineEdit::returnPressed, this, [this] { pick(list_->currentIndex()); });
  connect(list_, &QListView::activated, this, &CandidatePicker::pick);
  connect(list_, &QListView::clicked, this, &CandidatePicker::pick);
  connect(this, &QToolButton::clicked, this, &CandidatePicker::open);
  connect(context_.selection, &Selection::compared_changed, this, &CandidatePicker::fit);
  show_candidate(0, {});
}

void CandidatePicker::show_candidate(std::int64_t candidate, const QString& name) {
  candidate_ = candidate;
  name_ = name.isEmpty() ? tr("Choose a candidate") : name;
  name_it(this, tr("%1: %2").arg(what_, name_), tr("%1\nPress to choose another candidate of the run").arg(name_));
  fit();
}

QSize CandidatePicker::sizeHint() const { return {220, QToolButton::sizeHint().height()}; }
QSize CandidatePicker::minimumSizeHint() const { return {70, QToolButton::minimumSizeHint().height()}; }

void CandidatePicker::resizeEvent(QResizeEvent* event) {
  QToolButton::resizeEvent(event);
  fit();
}

void CandidatePicker::fit() {
  const int place = context_.selection->place(candidate_);
  QString shown = place >= 0 ? Selection::letter(place) + "  " + name_ : name_;
  shown.replace('&', "&&");
  setText(fontMetrics().elidedText(shown, Qt::ElideRight, std::max(20, width() - 44)) + "  \u25be");
}

// The compared candidates, each by its letter.
void CandidatePicker::fill_compared() {
  clear_layout(compared_->layout());
  for (const std::int64_t id : context_.selection->compared()) {
    const int place = context_.selection->place(id);
    const QString name = context_.compared ? context_.compared->text(id) : "#" + QString::number(number_of(id));
    QToolButton* button =
        make_tool(compared_, "picker_of_comparison", Selection::letter(place) + "  " + QString(name).replace('&', "&&"),
                  tr("%1, compared as %2").arg(name, Selection::letter(place)));
    button->setFocusPolicy(Qt::TabFocus);
    connect(button, &QToolButton::clicked, this, [this, id] { pick_id(id); });
    compared_->layout()->addWidget(button);
    button->show();
  }
  compared_->setVisible(!context_.selection->compared().isEmpty());
}

void CandidatePicker::open() {
  fill_compared();
  if (!rows_->sourceModel()) rows_->setSourceModel(model_);
  words_->clear();
  const int row = model_->row_of(candidate_);
  list_->setCurrentIndex(row >= 0 ? rows_->mapFromSource(model_->index(row, 0)) : rows_->index(0, 0));
  popup_->resize(std::max(width(), 320), 300);
  popup_->move(mapToGlobal(QPoint(0, height())));
  popup_->show();
  words_->setFocus(Qt::PopupFocusReason);
  list_->scrollTo(list_->currentIndex(), QAbstractItemView::PositionAtCenter);
}

void CandidatePicker::pick(const QModelIndex& index) {
  if (!index.isValid()) return;
  pick_id(index.data(CandidateModel::IdRole).toLongLong());
}

void CandidatePicker::pick_id(std::int64_t candidate) {
  popup_->hide();
  setFocus(Qt::OtherFocusReason);
  if (candidate != 0) emit picked(candidate);
}

bool CandidatePicker::eventFilter(QObject* watched, QEvent* event) {
  if (watched == words_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step != 0) {
      const int row = std::clamp(list_->currentIndex().row() + step, 0, std::max(0, rows_->rowCount() - 1));
      list_->setCurrentIndex(rows_->index(row, 0));
      return true;
    }
  }
  return QToolButton::eventFilter(watched, event);
}

}  // namespace ww::widgets
