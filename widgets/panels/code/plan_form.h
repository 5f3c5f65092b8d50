// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the launch plan of a kernel that has none: prefilled where its signature and the op say it, marked where
// that is a guess, empty where nobody can know.
#pragma once
#include <QDialog>
#include <vector>
#include "candidate/bare_kernel.h"

class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;

namespace ww::widgets {

class Label;

class PlanForm : public QDialog {
  Q_OBJECT
 public:
  PlanForm(const QString& text, candidate::BareKernel kernel, op::Spec spec, QWidget* parent);
  QString text() const;  // with the plan above it

 private:
  QLineEdit* line(QGridLayout* grid, int row, const QString& id, const QString& caption, const QString& placeholder,
                  const candidate::Suggested& suggested);
  void argument(QGridLayout* grid, int row, std::size_t parameter, const candidate::Suggested& suggested);
  candidate::SuggestedLaunch launch() const;
  void judge();  // whether it can be written
  const QString text_;
  const candidate::BareKernel kernel_;
  const op::Spec spec_;
  QLineEdit *grid_, *block_, *shared_;
  std::vector<QComboBox*> arguments_;
  Label* problem_;
  QPushButton* write_;
};

}  // namespace ww::widgets
