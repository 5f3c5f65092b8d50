// SPDX-License-Identifier: GPL-3.0-or-later
// Rarely changed options of model requests: temperature, effort, seed, concurrency, and the strategies' numbers.
// Collapsed by default.
#pragma once
#include <QWidget>
#include "explore/run.h"

class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
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
  QGridLayout* grid() const { return grid_; }

 signals:
  void changed();

 private:
  void set_open(bool open);
  QToolButton* more_;
  QWidget* fields_;
  QGridLayout* grid_;
  QDoubleSpinBox* temperature_;  // at its minimum: the service's default
  QComboBox* effort_;
  QSpinBox *seed_, *parallel_, *width_, *children_, *patience_, *fixes_;
};

}  // namespace ww::widgets
