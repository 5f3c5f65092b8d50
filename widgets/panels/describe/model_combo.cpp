// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/model_combo.h"
#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QPainter>
#include <QSignalBlocker>
#include <QStyledItemDelegate>
#include <algorithm>
#include "llm/model_name.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

class TwoLines : public QStyledItemDelegate {  // the name, and below it what it costs
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QFontMetrics m(option.font);
    return {std::max(m.horizontalAdvance(index.data().toString()),
                     m.horizontalAdvance(index.data(ModelCombo::DetailRole).toString())) +
                24,
            2 * m.height() + 8};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const Theme& theme = Theme::instance();
    const bool selected = option.state & QStyle::State_Selected, usable = index.data(ModelCombo::UsableRole).toBool();
    painter->save();
    painter->setFont(option.font);
    painter->fillRect(option.rect, theme.color(selected ? "selection" : "raised"));
    const QRect area = option.rect.adjusted(8, 3, -8, -3);
    const QFontMetrics m(option.font);
    painter->setPen(theme.color(selected ? "selection-text" : usable ? "text" : "muted"));
    painter->drawText(area, Qt::AlignLeft | Qt::AlignTop,
                      m.elidedText(index.data().toString(), Qt::ElideMiddle, area.width()));
    painter->setPen(theme.color(selected ? "selection-text" : "muted"));
    painter->drawText(area, Qt::AlignLeft | Qt::AlignBottom,
                      m.elidedText(index.data(ModelCombo::DetailRole).toString(), Qt::ElideRight, area.width()));
    painter->restore();
  }
};

}  // namespace

ModelCombo::ModelCombo(QWidget* parent) : QComboBox(parent) {
  setEditable(true);
  setInsertPolicy(NoInsert);
  setSizeAdjustPolicy(AdjustToMinimumContentsLengthWithIcon);
  setMinimumContentsLength(10);
  setMaxVisibleItems(9);
  setItemDelegate(new TwoLines(this));
  view()->setTextElideMode(Qt::ElideMiddle);
  lineEdit()->setPlaceholderText(tr("service:model"));
  completer()->setCompletionMode(QCompleter::PopupCompletion);
  completer()->setFilterMode(Qt::MatchContains);
  completer()->setCaseSensitivity(Qt::CaseInsensitive);
}

void ModelCombo::set_list(const ModelList& list) {
  const QString kept = currentText();
  const QSignalBlocker block(this);
  clear();
  for (const bool usable : {true, false}) {  // those that can be asked come first
    for (const ModelEntry& m : list.models) {
      if (m.name.empty() || m.name.back() == '*') continue;
      const Service* service = service_of(list, m.service);
      if (!service || service->why_not.empty() != usable) continue;
      QStringList detail = {qs(service->title)};
      detail += m.price.empty() ? tr("price unknown") : qs(m.price);
      if (!usable)
        detail += reach_text(service->reach);
      else if (service->key != KeyFrom::nowhere)
        detail += tr("key %1").arg(key_text(*service));
      addItem(qs(llm::ModelName{m.service, m.name}.text()));
      setItemData(count() - 1, detail.join(", "), DetailRole);
      setItemData(count() - 1, usable, UsableRole);
      setItemData(count() - 1, usable ? detail.join(", ") : qs(service->why_not), Qt::ToolTipRole);
    }
  }
  const int at = findText(kept);
  setCurrentIndex(at);
  set_id(kept);
}

void ModelCombo::set_id(const QString& id) {
  if (currentText() != id) setEditText(id);
  if (!lineEdit()->hasFocus()) lineEdit()->setCursorPosition(0);
}

void ModelCombo::showPopup() {
  int wide = width();
  for (int i = 0; i < count(); ++i) wide = std::max(wide, view()->sizeHintForIndex(model()->index(i, 0)).width());
  view()->setMinimumWidth(std::min(wide + 20, 560));
  QComboBox::showPopup();
}

}  // namespace ww::widgets
