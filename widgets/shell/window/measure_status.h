// SPDX-License-Identifier: GPL-3.0-or-later
// The progress of a measurement in the status bar, with a button to cancel it.
#pragma once
#include <QElapsedTimer>
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
  QElapsedTimer since_;  // the measurement began
};

}  // namespace ww::widgets
