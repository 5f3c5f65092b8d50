// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses a model: SERVICE:MODEL, from the list or typed. The list shows each one's price and availability.
#pragma once
#include <QComboBox>
#include "session/model_list.h"

namespace ww::widgets {

class ModelCombo : public QComboBox {
  Q_OBJECT
 public:
  enum Role { DetailRole = Qt::UserRole + 1, UsableRole };
  explicit ModelCombo(QWidget* parent = nullptr);
  void set_list(const ModelList& list);  // keeps the choice
  QString id() const { return currentText().trimmed(); }
  void set_id(const QString& id);  // scrolled to its beginning if long

 protected:
  void showPopup() override;
};

}  // namespace ww::widgets
