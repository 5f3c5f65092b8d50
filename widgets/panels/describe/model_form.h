// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the generator "model": models, strategy, output language, and limits on usage.
#pragma once
#include <QList>
#include <QWidget>
#include "session/model_list.h"
#include "session/runs.h"

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QGridLayout;
class QSettings;
class QSpinBox;

namespace ww::widgets {

class Label;
class ModelCombo;
class ModelExtras;

class ModelForm : public QWidget {
  Q_OBJECT
 public:
  explicit ModelForm(QWidget* parent = nullptr);
  void set_list(const ModelList& list);
  void set_strategies(const std::vector<Choice>& strategies);
  void fill(generator::RunOptions& options) const;          // models, strategies, mode, tokens and money
  void show_options(const generator::RunOptions& options);  // of a run
  QString why_not() const;                                  // why no run can start
  std::string writer() const;
  const ModelList& list() const { return list_; }
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);
  QList<QGridLayout*> grids() const;  // each a form_grid()

 signals:
  void changed();
  void settings_wanted();
  void list_wanted();  // servers on this machine should be queried again

 private:
  void make_model(QGridLayout* grid);
  void make_strategy(QGridLayout* grid);
  void make_limits(QGridLayout* grid);
  void read();
  void fill_analysts(const QString& wanted);
  void make_strategies();
  void show_roles(const std::vector<std::string>& asked);
  QStringList ticked() const;
  generator::ModelOptions chosen_models() const;  // with those that are set for roles
  ModelList list_;
  std::vector<Choice> strategies_;
  QStringList wanted_strategies_ = {"refine"};
  ModelCombo* model_;
  Label *note_, *strategy_note_, *roles_note_;
  QWidget *buttons_, *strategy_row_;
  QList<QCheckBox*> boxes_;
  QComboBox *analyst_, *mode_;
  QSpinBox* tokens_;
  QDoubleSpinBox* money_;
  ModelExtras* extras_;
  bool can_limit_ = true;  // in dollars
};

}  // namespace ww::widgets
