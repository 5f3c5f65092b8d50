// SPDX-License-Identifier: GPL-3.0-or-later
// What the window reported, in the status bar as a button that opens the list. Each notice is kept until it is
// dismissed, also when the program ends: the status bar shows it for seconds only.
#pragma once
#include <QDateTime>
#include <QToolButton>
#include "store/states.h"

class QFrame;
class QScrollArea;
class QSettings;
class QVBoxLayout;

namespace ww::widgets {

class NoticeList : public QToolButton {
  Q_OBJECT
 public:
  explicit NoticeList(QWidget* parent);
  void add(store::MessageLevel level, const QString& text);  // a repeated notice is moved to the top
  QStringList texts() const;                                 // the newest first
  void open();
  void dismiss(const QString& text);
  void dismiss_all();
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 signals:
  void log_wanted();
  void changed();

 private:
  struct Notice {
    store::MessageLevel level;
    QString text;
    QDateTime time;
  };
  void update_button();
  void fill();
  static constexpr int most = 50;
  QList<Notice> notices_;
  QFrame* list_;
  QScrollArea* area_;
  QVBoxLayout* rows_;
};

}  // namespace ww::widgets
