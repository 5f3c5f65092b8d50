// SPDX-License-Identifier: GPL-3.0-or-later
// What most people leave as it is when models are asked: temperature, effort, seed, how many at a time, and the
// strategies' numbers. Hidden until asked for.
#pragma once
#include <QWidget>
#include "explore/run.h"

class QComboBox;
class QDoubleSpinBox;
class QSettings;
class QSpinBox;
class QToolButton;

namespace ww::widgets {

class ModelExtras : public QWidget {
  Q_OBJECT
 public:
  explicit ModelExtras(QWidget* parent = nullptr);
  void fill(generator::ModelOptions& options) const;
  void show_options(const generator::ModelOptions& options);
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);

 signals:
  void changed();

 private:
  void set_open(bool open);
  QToolButton* more_;
  QWidget* fields_;
  QDoubleSpinBox* temperature_;  // at its least: the service's own
  QComboBox* effort_;
  QSpinBox *seed_, *parallel_, *width_, *children_, *patience_, *fixes_;
};

}  // namespace ww::widgets
