// SPDX-License-Identifier: GPL-3.0-or-later
// What the models of single roles are asked with, kept in the user's models.json, which the terminal follows, too.
#pragma once
#include <QWidget>
#include <memory>
#include "session/latest_job.h"
#include "session/models_service.h"

class QComboBox;
class QDoubleSpinBox;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QTreeWidget;
class QVBoxLayout;

namespace ww::widgets {

class Label;
class ModelCombo;

class RolesPage : public QWidget {
  Q_OBJECT
 public:
  RolesPage(std::shared_ptr<Models> models, QWidget* parent);

 signals:
  void roles_changed();

 private:
  void make_form(QVBoxLayout* column);
  void load();
  void show_list(const ModelList& list);
  void show_role();  // the selected one, in the form
  void save();
  void clear();  // the selected role has no settings of its own any more
  void store(const llm::RoleSettings& role);
  std::string_view selected() const;  // empty: none
  llm::RoleSettings typed() const;
  std::shared_ptr<Models> models_;
  ModelList list_;
  QTreeWidget* roles_;
  QWidget* form_;
  Label *about_, *problem_;
  ModelCombo* model_;
  QComboBox* effort_;
  QDoubleSpinBox* temperature_;  // at its minimum: none is set
  QSpinBox *answer_, *prompt_;   // at 0: as for the writer
  QLineEdit* fallbacks_;
  QPushButton *save_, *clear_;
  LatestJob loader_, saver_;
};

}  // namespace ww::widgets
