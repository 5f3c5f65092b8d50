// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/code/plan_form.h"
#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>
#include "candidate/candidate.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

using candidate::Source;
using candidate::Suggested;

namespace {

// What a person wrote; an empty field is unknown.
Suggested answer(const QString& text) {
  const std::string plain = text.simplified().toStdString();
  return {plain, plain.empty() ? Source::unknown : Source::known};
}

void mark_guess(QGridLayout* grid, int row, const Suggested& suggested) {
  if (suggested.source != Source::guessed) return;
  Label* guess = make_label(grid->parentWidget(), QString("plan_guess_%1").arg(row), "muted");
  guess->setText(PlanForm::tr("a guess"));
  grid->addWidget(guess, row, 2);
}

QString filled(const Suggested& s) { return s.text.find('?') == std::string::npos ? exact(s.text) : QString(); }

}  // namespace

PlanForm::PlanForm(const QString& text, candidate::BareKernel kernel, op::Spec spec, QWidget* parent)
    : QDialog(parent), text_(text), kernel_(std::move(kernel)), spec_(std::move(spec)) {
  setObjectName("plan_form");
  setWindowTitle(tr("Launch plan of %1").arg(qs(kernel_.name)));
  const candidate::SuggestedLaunch suggested = candidate::suggest_launch(kernel_, text_.toStdString(), spec_);
  auto* column = make_column(this, {12, 12, 12, 12}, 8);
  Label* about = make_paragraph(this, "plan_about");
  about->setText(tr("How %1 computes %2. Numbers or expressions over the op\u2019s sizes, such as ceildiv(N, 256).")
                     .arg(qs(kernel_.name), qs(spec_.name)));
  column->addWidget(about);
  auto* form = new QWidget(this);
  column->addWidget(form);
  QGridLayout* grid = form_grid(form);
  grid->setColumnStretch(3, 0);  // the fields take what is left
  int row = 0;
  block_ = line(grid, row++, "plan_block", tr("Threads per block"), tr("x, y, z: 256"), suggested.block);
  grid_ = line(grid, row++, "plan_grid", tr("Blocks"), tr("x, y, z: ceildiv(N, 256)"), suggested.grid);
  shared_ = line(grid, row++, "plan_shared", tr("Dynamic shared bytes"), tr("none"), suggested.shared);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) argument(grid, row++, i, suggested.args[i]);
  problem_ = make_paragraph(this, "plan_problem", "muted");
  column->addWidget(problem_);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  write_ = make_button(this, "plan_write", tr("Write plan"));
  box->addButton(write_, QDialogButtonBox::AcceptRole);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  if (const QString blocks = exact(suggested.grid.text); blocks.contains('?'))  // it follows the block
    connect(block_, &QLineEdit::textEdited, this, [this, blocks](const QString& threads) {
      if (!grid_->isModified() && !threads.contains(',')) grid_->setText(QString(blocks).replace('?', threads));
    });
  for (QLineEdit* edit : {grid_, block_, shared_}) connect(edit, &QLineEdit::textChanged, this, &PlanForm::judge);
  resize(520, sizeHint().height());
  judge();
}

QLineEdit* PlanForm::line(QGridLayout* grid, int row, const QString& id, const QString& caption,
                          const QString& placeholder, const Suggested& suggested) {
  auto* edit = with_id(new QLineEdit(filled(suggested), grid->parentWidget()), id);
  edit->setPlaceholderText(placeholder);
  add_caption(grid, caption, edit, row, 0);
  grid->addWidget(edit, row, 1);
  mark_guess(grid, row, suggested);
  return edit;
}

void PlanForm::argument(QGridLayout* grid, int row, std::size_t parameter, const Suggested& suggested) {
  const candidate::KernelParameter& p = kernel_.parameters[parameter];
  auto* combo = with_id(new QComboBox(grid->parentWidget()), QString("plan_arg_%1").arg(parameter));
  combo->setEditable(true);
  if (p.pointer) {
    for (const auto* list : {&spec_.inputs, &spec_.outputs})
      for (const op::Param& t : *list) combo->addItem(exact(t.name));
  } else {
    for (const std::string& s : spec_.symbols) combo->addItem(exact(s));
    for (const op::Constant& c : spec_.constants) combo->addItem(exact(c.name));
  }
  combo->setEditText(filled(suggested));
  combo->lineEdit()->setPlaceholderText(p.pointer ? tr("which tensor?") : tr("which size or constant?"));
  add_caption(grid, QString("%1 %2").arg(qs(p.type), qs(p.name)).trimmed(), combo, row, 0);
  grid->addWidget(combo, row, 1);
  mark_guess(grid, row, suggested);
  connect(combo, &QComboBox::editTextChanged, this, &PlanForm::judge);
  arguments_.push_back(combo);
}

candidate::SuggestedLaunch PlanForm::launch() const {
  candidate::SuggestedLaunch out;
  out.kernel = kernel_.name;
  out.grid = answer(grid_->text());
  out.block = answer(block_->text());
  out.shared = answer(shared_->text());
  if (out.shared.text.empty() && !kernel_.dynamic_shared) out.shared.source = Source::known;
  for (const QComboBox* combo : arguments_) out.args.push_back(answer(combo->currentText()));
  return out;
}

QString PlanForm::text() const {
  return exact(candidate::with_plan_lines(text_.toStdString(), spec_, kernel_, launch()));
}

void PlanForm::judge() {
  QString why;
  if (!launch().complete()) {
    why = tr("Fill in what is empty.");
  } else {
    const auto parsed = candidate::parse(text().toStdString(), candidate::Language::cuda);
    const Status fits = parsed ? candidate::check_contract(*parsed, spec_) : Status(fail(parsed.error()));
    if (!fits) why = qs(fits.error().message);
  }
  problem_->setText(why.isEmpty() ? tr("The plan fits the op. It is written above the kernel; undo takes it back.")
                                  : why);
  write_->setEnabled(why.isEmpty());
}

}  // namespace ww::widgets
