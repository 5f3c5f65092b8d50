// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>
#include "session/models/log_model.h"

class QStackedLayout;
class QTreeView;

namespace ww::widgets {

class LogPanel : public QWidget {  // the log, newest last
  Q_OBJECT
 public:
  explicit LogPanel(QWidget* parent = nullptr);
  LogModel* model() const { return model_; }
  void add(store::MessageLevel level, const QString& text);
  QString as_text() const;
  void copy();

 signals:
  void describe_wanted();

 private:
  LogModel* model_;
  QTreeView* view_;
  QStackedLayout* pages_;
};

}  // namespace ww::widgets
