// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/plan_form.h"
#include <QComboBox>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
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

void mark_guess(QGridLayout* grid, int row, const Suggested& suggested, const QString& id) {
  if (suggested.source != Source::guessed) return;
  Label* guess = make_label(grid->parentWidget(), id, "muted");
  guess->setText(PlanForm::tr("a guess"));
  grid->addWidget(guess, row, 2);
}

QString filled(const Suggested& s) { return s.text.find('?') == std::string::npos ? exact(s.text) : QString(); }

}  // namespace

PlanForm::PlanForm(const QString& text, candidate::BareKernel kernel, std::optional<op::Spec> spec, QWidget* parent)
    : QDialog(parent), text_(text), kernel_(std::move(kernel)), spec_(std::move(spec)) {
  setObjectName("plan_form");
  setWindowTitle(tr("Launch plan of %1").arg(qs(kernel_.name)));
  auto* column = make_column(this, {12, 12, 12, 12}, 8);
  about_ = make_paragraph(this, "plan_about");
  column->addWidget(about_);
  op_row_ = new QWidget(this);
  form_grid(op_row_)->setColumnStretch(3, 0);
  op_row_->hide();
  column->addWidget(op_row_);
  problem_ = make_paragraph(this, "plan_problem", "muted");
  column->addWidget(problem_);
  column->addStretch(1);
  auto* box = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  write_ = make_button(this, "plan_write", tr("Write plan"));
  box->addButton(write_, QDialogButtonBox::AcceptRole);
  column->addWidget(box);
  connect(box, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(box, &QDialogButtonBox::rejected, this, &QDialog::reject);
  make_fields();
  resize(520, sizeHint().height());
}

void PlanForm::offer_ops(const QStringList& names, const QString& own) {
  auto* grid = static_cast<QGridLayout*>(op_row_->layout());
  ops_ = with_id(new QComboBox(op_row_), "plan_op");
  ops_->setEditable(true);
  ops_->setInsertPolicy(QComboBox::NoInsert);
  ops_->addItems(names);
  QString called = own;
  const QString kernel = exact(kernel_.name).toLower().remove('_');
  if (own.isEmpty())
    for (const QString& name : names)
      if (kernel.contains(QString(name).toLower().remove('_')) && name.size() > called.size()) called = name;
  if (!own.isEmpty() && !names.contains(own)) ops_->insertItem(0, own);
  ops_->setCurrentIndex(ops_->findText(called));
  if (called.isEmpty()) ops_->setEditText({});
  ops_->lineEdit()->setPlaceholderText(tr("which operation?"));
  add_caption(grid, tr("Operation"), ops_, 0, 0);
  grid->addWidget(ops_, 0, 1);
  if (own.isEmpty() && !called.isEmpty()) mark_guess(grid, 0, {called.toStdString(), Source::guessed}, "plan_guess_op");
  op_row_->show();
  connect(ops_, &QComboBox::currentTextChanged, this, [this](const QString& name) {
    if (ops_->findText(name, Qt::MatchFixedString | Qt::MatchCaseSensitive) >= 0) return emit op_chosen(name);
    spec_.reset();
    make_fields();
  });
  judge();
  if (own.isEmpty() && !called.isEmpty()) emit op_chosen(called);
  ops_->setFocus();
}

void PlanForm::set_spec(op::Spec spec) {
  spec_ = std::move(spec);
  make_fields();
  resize(width(), std::max(height(), sizeHint().height()));
}

// Anew for each op: what its parameters are depends on it.
void PlanForm::make_fields() {
  delete fields_;
  arguments_.clear();
  grid_ = block_ = shared_ = nullptr;
  auto* area = new QScrollArea(this);  // a kernel may have hundreds of parameters
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  auto* fields = new QWidget(area);
  area->setWidget(fields);
  fields_ = area;
  static_cast<QVBoxLayout*>(layout())->insertWidget(2, area, 1);
  if (!spec_) {
    about_->setText(tr("%1 has no launch plan. What does it compute? An op that is not in the library needs its spec "
                       "first, in the Describe panel.")
                        .arg(qs(kernel_.name)));
    fields_->hide();
    return judge();
  }
  about_->setText(tr("How %1 computes %2. Numbers or expressions over the op\u2019s sizes, such as ceildiv(N, 256).")
                      .arg(qs(kernel_.name), qs(spec_->name)));
  const candidate::SuggestedLaunch suggested = candidate::suggest_launch(kernel_, text_.toStdString(), *spec_);
  QGridLayout* grid = form_grid(fields);
  grid->setColumnStretch(3, 0);  // the fields take what is left
  int row = 0;
  block_ = line(grid, row++, "plan_block", tr("Threads per block"), tr("x, y, z: 256"), suggested.block);
  grid_ = line(grid, row++, "plan_grid", tr("Blocks"), tr("x, y, z: ceildiv(N, 256)"), suggested.grid);
  shared_ = line(grid, row++, "plan_shared", tr("Dynamic shared bytes"), tr("none"), suggested.shared);
  for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) argument(grid, row++, i, suggested.args[i]);
  if (const QString blocks = exact(suggested.grid.text); blocks.contains('?'))  // it follows the block
    connect(block_, &QLineEdit::textEdited, this, [this, blocks](const QString& threads) {
      if (!grid_->isModified() && !threads.contains(',')) grid_->setText(QString(blocks).replace('?', threads));
    });
  for (QLineEdit* edit : {grid_, block_, shared_}) connect(edit, &QLineEdit::textChanged, this, &PlanForm::judge);
  fields_->show();
  judge();
}

QLineEdit* PlanForm::line(QGridLayout* grid, int row, const QString& id, const QString& caption,
                          const QString& placeholder, const Suggested& suggested) {
  auto* edit = with_id(new QLineEdit(filled(suggested), grid->parentWidget()), id);
  edit->setPlaceholderText(placeholder);
  add_caption(grid, caption, edit, row, 0);
  grid->addWidget(edit, row, 1);
  mark_guess(grid, row, suggested, QString("plan_guess_%1").arg(row));
  return edit;
}

void PlanForm::argument(QGridLayout* grid, int row, std::size_t parameter, const Suggested& suggested) {
  const candidate::KernelParameter& p = kernel_.parameters[parameter];
  auto* combo = with_id(new QComboBox(grid->parentWidget()), QString("plan_arg_%1").arg(parameter));
  combo->setEditable(true);
  if (p.pointer) {
    for (const auto* list : {&spec_->inputs, &spec_->outputs})
      for (const op::Param& t : *list) combo->addItem(exact(t.name));
  } else {
    for (const std::string& s : spec_->symbols) combo->addItem(exact(s));
    for (const op::Constant& c : spec_->constants) combo->addItem(exact(c.name));
  }
  combo->setEditText(filled(suggested));
  combo->lineEdit()->setPlaceholderText(p.pointer ? tr("which tensor?") : tr("which size or constant?"));
  add_caption(grid, QString("%1 %2").arg(qs(p.type), qs(p.name)).trimmed(), combo, row, 0);
  grid->addWidget(combo, row, 1);
  mark_guess(grid, row, suggested, QString("plan_guess_%1").arg(row));
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
  return spec_ ? exact(candidate::with_plan_lines(text_.toStdString(), *spec_, kernel_, launch())) : text_;
}

void PlanForm::judge() {
  QString why;
  if (!spec_) {
    why = tr("Choose the operation.");
  } else if (!launch().complete()) {
    why = tr("Fill in what is empty.");
  } else {
    const auto parsed = candidate::parse(text().toStdString(), candidate::Language::cuda);
    const Status fits = parsed ? candidate::check_contract(*parsed, *spec_) : Status(fail(parsed.error()));
    if (!fits) why = qs(fits.error().message);
  }
  problem_->setText(why.isEmpty() ? tr("The plan fits the op. It is written above the kernel.") : why);
  write_->setEnabled(why.isEmpty());
}

}  // namespace ww::widgets
