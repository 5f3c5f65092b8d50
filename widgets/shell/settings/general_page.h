// SPDX-License-Identifier: GPL-3.0-or-later
// The settings page for theme, fonts, zoom, notifications and restoring at start.
#pragma once
#include <QWidget>
#include <memory>

class QCheckBox;
class QComboBox;
class QGridLayout;
class QSpinBox;

namespace ww::widgets {

class ModelledGpu;
class Preferences;

class GeneralPage : public QWidget {
  Q_OBJECT
 public:
  GeneralPage(Preferences* preferences, const std::shared_ptr<ModelledGpu>& gpu, QWidget* parent = nullptr);

 signals:
  void theme_wanted(const QString& id);

 private:
  int make_appearance(QGridLayout* grid, int row);  // returns the next row
  void make_runs(QGridLayout* grid, int row, const std::shared_ptr<ModelledGpu>& gpu);
  QComboBox* make_fonts(const QString& id, const QString& name, const QString& own, bool code);
  void show_all();
  Preferences* preferences_;
  QComboBox *theme_, *text_font_, *code_font_;
  QSpinBox *zoom_, *budget_;
  QCheckBox *notify_, *restore_;
};

}  // namespace ww::widgets
