// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/actions/picker.h"
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QLineEdit>
#include <QListWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

int fuzzy_score(const QString& typed, const QString& text) {
  if (typed.isEmpty()) return 1;
  const QString needle = typed.toLower(), hay = text.toLower();
  if (const qsizetype at = hay.indexOf(needle); at >= 0)
    return 1000 - static_cast<int>(std::min<qsizetype>(at, 400)) + (at == 0 ? 100 : 0);
  int score = 1;
  qsizetype at = 0;
  for (const QChar c : needle) {
    if (c.isSpace()) continue;
    const qsizetype found = hay.indexOf(c, at);
    if (found < 0) return 0;
    score += found == 0 || !hay[found - 1].isLetterOrNumber() ? 20 : found == at ? 8 : 1;
    at = found + 1;
  }
  return score;
}

namespace {

constexpr int icon_size = 16;

// The icon, the name, and at the right what kind of thing it is or its key.
class PickDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem ground = option;
    initStyleOption(&ground, index);
    const QIcon icon = ground.icon;
    ground.text.clear();
    ground.icon = {};
    const QStyle* style = option.widget->style();
    style->drawControl(QStyle::CE_ItemViewItem, &ground, painter, option.widget);
    QRect room = option.rect.adjusted(grid::step, 0, -grid::step, 0);
    const bool enabled = option.state & QStyle::State_Enabled;
    icon.paint(painter, QRect(room.left(), room.center().y() - icon_size / 2 + 1, icon_size, icon_size),
               Qt::AlignCenter, enabled ? QIcon::Normal : QIcon::Disabled);
    room.setLeft(room.left() + icon_size + grid::step);
    const QString detail = index.data(detail_role).toString();
    const QString name = index.data(name_role).toString();
    // elidedText() rounds otherwise than horizontalAdvance() does.
    const auto wanted = [&](const QString& text) { return option.fontMetrics.horizontalAdvance(text) + 2; };
    const int left = room.width() - wanted(name) - grid::wide;
    const int width = std::min(wanted(detail), std::max(left, room.width() / 2));
    painter->setPen(Theme::instance().color(enabled ? "muted" : "disabled"));
    painter->drawText(room, Qt::AlignRight | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(detail, Qt::ElideRight, width));
    room.setRight(room.right() - width - grid::wide);
    painter->setPen(Theme::instance().color(enabled ? "text" : "disabled"));
    painter->drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                      option.fontMetrics.elidedText(name, Qt::ElideRight, room.width()));
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return {QStyledItemDelegate::sizeHint(option, index).width(), option.fontMetrics.height() + 2 * grid::half + 2};
  }
  static constexpr int name_role = Qt::UserRole + 1, detail_role = Qt::UserRole + 2;
};

}  // namespace

Picker::Picker(const char* object, const QString& title, const QString& placeholder, Source source, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint), source_(std::move(source)) {
  setObjectName(object);
  setProperty("role", "overlay");
  setWindowTitle(title);
  resize(620, 420);
  auto* layout = new QVBoxLayout(this);
  input_ = new QLineEdit(this);
  input_->setPlaceholderText(placeholder);
  name_it(input_, title);
  list_ = new QListWidget(this);
  list_->setUniformItemSizes(true);
  list_->setItemDelegate(new PickDelegate(list_));
  list_->setTextElideMode(Qt::ElideRight);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  name_it(list_, tr("Matches"));
  nothing_ = new Label(tr("No matches."), this);
  set_role(nothing_, "muted");
  layout->addWidget(input_);
  layout->addWidget(nothing_);
  layout->addWidget(list_, 1);
  input_->installEventFilter(this);
  connect(input_, &QLineEdit::textChanged, this, &Picker::refresh);
  connect(input_, &QLineEdit::returnPressed, this, &Picker::take_current);
  connect(list_, &QListWidget::itemActivated, this, &Picker::take_current);
  refresh();
  if (const QWidget* window = parent ? parent->window() : nullptr)  // below its title, as an overlay
    move(window->x() + (window->width() - width()) / 2, window->y() + window->height() / 8);
}

bool Picker::eventFilter(QObject* object, QEvent* event) {
  if (object == input_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int step = key == Qt::Key_Down       ? 1
                     : key == Qt::Key_Up       ? -1
                     : key == Qt::Key_PageDown ? 8
                     : key == Qt::Key_PageUp   ? -8
                                               : 0;
    if (step != 0) {
      list_->setCurrentRow(std::clamp(list_->currentRow() + step, 0, std::max(0, list_->count() - 1)));
      return true;
    }
  }
  return QDialog::eventFilter(object, event);
}

void Picker::refresh() {
  picks_ = source_(input_->text().trimmed());
  if (picks_.size() > most_shown) picks_.resize(most_shown);
  list_->setUpdatesEnabled(false);
  list_->clear();
  for (qsizetype i = 0; i < picks_.size(); ++i) {
    const Pick& pick = picks_[i];
    auto* item =
        new QListWidgetItem(harmless(pick.detail.isEmpty() ? pick.text : pick.text + "    " + pick.detail), list_);
    item->setData(Qt::UserRole, pick.id);
    item->setData(PickDelegate::name_role, harmless(pick.text));
    item->setData(PickDelegate::detail_role, harmless(pick.detail));
    item->setIcon(pick.icon);
    item->setToolTip(pick.tip);
    if (!pick.enabled) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
  }
  list_->setUpdatesEnabled(true);
  nothing_->setVisible(picks_.isEmpty());
  if (list_->count() > 0) list_->setCurrentRow(0);
}

void Picker::take_current() {
  const int row = list_->currentRow();
  if (row < 0 || row >= picks_.size() || !picks_[row].enabled) return;
  const auto take = picks_[row].take;
  accept();
  QTimer::singleShot(0, parent(), take);  // after this dialog has given the focus back
}

}  // namespace ww::widgets
