// SPDX-License-Identifier: GPL-3.0-or-later
// In the status bar while candidates are measured: how far, what, and a button that cancels.
#pragma once
#include <QWidget>

class QProgressBar;
class QToolButton;

namespace ww::widgets {

class ElideLabel;
class Measurer;

class MeasureStatus : public QWidget {
  Q_OBJECT
 public:
  explicit MeasureStatus(Measurer* measurer, QWidget* parent = nullptr);
  QString text() const;

 private:
  QProgressBar* progress_;
  ElideLabel* text_;
};

}  // namespace ww::widgets
