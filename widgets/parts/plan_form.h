// SPDX-License-Identifier: GPL-3.0-or-later
// Asks for the launch plan of a kernel that has none: prefilled from its signature and the op, with guesses marked and
// unknown parts empty. If the op is unknown or there are several kernels, asks for that first.
#pragma once
#include <QDialog>
#include <QStringList>
#include <optional>
#include <vector>
#include "candidate/bare_kernel.h"

class QComboBox;
class QGridLayout;
class QLineEdit;
class QPushButton;
class QScrollArea;
class QVBoxLayout;

namespace ww::widgets {

class Label;

class PlanForm : public QDialog {
  Q_OBJECT
 public:
  static std::vector<candidate::BareKernel> kernels_of(const std::string& cuda);  // that can be launched by name
  // Without a spec: offer_ops(), then set_spec() answers op_chosen().
  PlanForm(const QString& text, std::vector<candidate::BareKernel> kernels, std::optional<op::Spec> spec,
           QWidget* parent);
  // Names of ops; the one that the kernel is named after is preselected, as a guess. `own`: of the given spec, which
  // stays selected; may be empty. While a name is typed nothing is chosen: Return, Tab, a click or the list does.
  void offer_ops(const QStringList& names, const QString& own);
  void set_spec(op::Spec spec);
  const std::optional<op::Spec>& spec() const { return spec_; }
  const candidate::BareKernel& kernel() const { return kernels_[*kernel_]; }  // once it is chosen
  QString text() const { return text_with(launch()); }                        // with the plan above the kernel
  bool eventFilter(QObject* watched, QEvent* event) override;

 signals:
  void op_chosen(const QString& name);

 private:
  void make_kernels(QVBoxLayout* column);
  void guess_op();  // that the kernel is named after
  void choose_op(const QString& name);
  bool take_typed(bool sole);  // `sole`: also the only op that contains what was typed; true: one was chosen
  QStringList ops_with(const QString& typed) const;
  QString op_wanted() const;  // what is to be done to choose an op
  QString wrong_size() const;
  QString wrong_value() const;
  QString text_with(const candidate::SuggestedLaunch& launch) const;
  void fit();
  void make_fields();
  void align();
  void focus_missing();
  QLineEdit* line(QGridLayout* grid, int row, const QString& id, const QString& caption, const QString& placeholder,
                  const candidate::Suggested& suggested);
  void argument(QGridLayout* grid, int row, std::size_t parameter, const candidate::Suggested& suggested);
  candidate::SuggestedLaunch launch() const;
  QStringList missing() const;
  void judge();  // whether the plan can be written
  const QString text_;
  const std::vector<candidate::BareKernel> kernels_;
  std::optional<std::size_t> kernel_;  // none: not chosen yet
  std::optional<op::Spec> spec_;
  QComboBox* ops_ = nullptr;    // if the op must be chosen
  bool own_ = false;            // the op is the user's: no guess replaces it
  QString wanted_op_;           // chosen, its spec may still be read
  bool blocks_follow_ = false;  // from the threads per block
  bool go_on_ = false;          // to the first field that nothing is known of, once there are fields
  Label* op_guess_ = nullptr;
  QWidget* op_row_;
  QScrollArea* fields_ = nullptr;
  QLineEdit *grid_ = nullptr, *block_ = nullptr, *shared_ = nullptr;
  std::vector<QComboBox*> arguments_;
  Label *about_, *problem_;
  QPushButton* write_;
};

}  // namespace ww::widgets
