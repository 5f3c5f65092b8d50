// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/plan_form.h"
#include <QComboBox>
#include <QCompleter>
#include <QDialogButtonBox>
#include <QFocusEvent>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>
#include <utility>
#include "candidate/candidate.h"
#include "op/parse.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"

namespace ww::widgets {

using candidate::Source;
using candidate::Suggested;

namespace {

constexpr int most_fields = 340;  // pixels, more scroll

// The user's input; an empty field is unknown.
Suggested answer(const QString& text) {
  const std::string plain = text.simplified().toStdString();
  return {plain, plain.empty() ? Source::unknown : Source::known};
}

// Beside the field until a person writes or chooses something else; not while it is empty.
void mark_guess(QGridLayout* grid, int row, const Suggested& suggested, const QString& id, const QLineEdit* edit) {
  if (suggested.source != Source::guessed) return;
  Label* guess = make_label(grid->parentWidget(), id, "muted");
  guess->setText(PlanForm::tr("a guess"));
  grid->addWidget(guess, row, 2);
  guess->setVisible(!edit->text().isEmpty());
  const auto own = std::make_shared<bool>(false);
  const auto take = [guess, own] {
    *own = true;
    guess->hide();
  };
  QObject::connect(edit, &QLineEdit::textEdited, guess, take);
  QObject::connect(edit, &QLineEdit::textChanged, guess,
                   [guess, own](const QString& text) { guess->setVisible(!text.isEmpty() && !*own); });
  if (const auto* combo = qobject_cast<QComboBox*>(edit->parentWidget()))
    QObject::connect(combo, &QComboBox::activated, guess, take);
}

// Offers the entries that contain what is typed, and completes nothing by itself.
void make_searchable(QComboBox* combo) {
  combo->setEditable(true);
  combo->setInsertPolicy(QComboBox::NoInsert);
  auto* completer = new QCompleter(combo->model(), combo);
  completer->setFilterMode(Qt::MatchContains);
  completer->setCaseSensitivity(Qt::CaseInsensitive);
  completer->setCompletionMode(QCompleter::PopupCompletion);
  combo->setCompleter(completer);
}

bool only_names(const op::Expr& e, const QStringList& names) {
  if (e.kind == op::ExprKind::name && !names.contains(exact(e.name))) return false;
  return std::ranges::all_of(e.args, [&](const op::ExprPtr& a) { return !a || only_names(*a, names); });
}

// One to three sizes of a launch: numbers, or expressions over these names.
bool are_sizes(const std::string& text, const QStringList& names) {
  const auto parsed = candidate::parse("//@ candidate op\n//@ launch k grid(1) block(" + text +
                                           ") args(x)\nextern \"C\" __global__ void k(float* x) {}\n",
                                       candidate::Language::cuda);
  return parsed && std::ranges::all_of(parsed->launches.front().block,
                                       [&](const op::ExprPtr& e) { return !e || only_names(*e, names); });
}

// Whether the plan can be launched at the op's default sizes and with the first value of each tuned name. True where
// the op has no default sizes.
Status launchable(const QString& text, const op::Spec& spec) {
  const op::Binding binding{spec.defaults, {}};
  const auto parsed = candidate::parse(text.toStdString(), candidate::Language::cuda);
  if (!parsed || !op::resolve(spec, binding)) return {};
  const Result<candidate::Plan> made = candidate::plan(*parsed, spec, binding, candidate::first_tuning(*parsed));
  return made ? Status() : Status(fail(made.error()));
}

QString filled(const Suggested& s) { return s.text.find('?') == std::string::npos ? exact(s.text) : QString(); }

}  // namespace

std::vector<candidate::BareKernel> PlanForm::kernels_of(const std::string& cuda) {
  std::vector<candidate::BareKernel> kernels = candidate::bare_kernels(cuda);
  std::erase_if(kernels, [](const candidate::BareKernel& kernel) { return kernel.is_template; });
  return kernels;
}

PlanForm::PlanForm(const QString& text, std::vector<candidate::BareKernel> kernels, std::optional<op::Spec> spec,
                   QWidget* parent)
    : QDialog(parent), text_(text), kernels_(std::move(kernels)), spec_(std::move(spec)) {
  setObjectName("plan_form");
  resize(520, 1);  // fit() makes it as high as it must be
  auto* column = make_column(this, grid::page);
  about_ = make_paragraph(this, "plan_about");
  column->addWidget(about_);
  make_kernels(column);
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
  if (kernels_.size() == 1) kernel_ = 0;
  make_fields();
  ask_before_discarding(this);
}

// As high as its texts and fields are at this width; it never shrinks under a person's hands.
void PlanForm::fit() {
  if (const QWidget* fields = fields_ && !fields_->isHidden() ? fields_->widget() : nullptr)
    fields_->setMinimumHeight(std::min(fields->sizeHint().height(), most_fields));
  const int high = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width()) : sizeHint().height();
  setMinimumHeight(std::min(high, 480));  // the fields scroll
  resize(width(), std::max(height(), high));
}

// If there are several, the user must choose: none is preselected.
void PlanForm::make_kernels(QVBoxLayout* column) {
  if (kernels_.size() < 2) return;
  auto* row = new QWidget(this);
  QGridLayout* grid = form_grid(row);
  grid->setColumnStretch(3, 0);
  auto* combo = with_id(new QComboBox(row), "plan_kernel");
  for (const candidate::BareKernel& kernel : kernels_) combo->addItem(exact(kernel.name));
  combo->setPlaceholderText(tr("which kernel?"));
  combo->setCurrentIndex(-1);
  add_caption(grid, tr("Kernel"), combo, 0, 0);
  grid->addWidget(combo, 0, 1);
  column->addWidget(row);
  connect(combo, &QComboBox::currentIndexChanged, this, [this](int index) {
    if (index < 0) return;
    kernel_ = static_cast<std::size_t>(index);
    op_row_->setVisible(ops_ != nullptr);
    make_fields();
    if (ops_ && !own_) guess_op();
  });
}

void PlanForm::offer_ops(const QStringList& names, const QString& own) {
  auto* grid = static_cast<QGridLayout*>(op_row_->layout());
  own_ = !own.isEmpty();
  ops_ = with_id(new QComboBox(op_row_), "plan_op");
  ops_->addItems(names);
  if (!own.isEmpty() && !names.contains(own)) ops_->insertItem(0, own);
  make_searchable(ops_);
  wanted_op_ = own;
  ops_->setCurrentIndex(ops_->findText(own));
  if (own.isEmpty()) ops_->setEditText({});
  ops_->lineEdit()->setPlaceholderText(tr("which operation?"));
  add_caption(grid, tr("Operation"), ops_, 0, 0);
  grid->addWidget(ops_, 0, 1);
  op_guess_ = make_label(op_row_, "plan_guess_op", "muted");
  op_guess_->setText(tr("a guess"));
  op_guess_->hide();
  grid->addWidget(op_guess_, 0, 2);
  op_row_->setVisible(kernel_.has_value());
  ops_->installEventFilter(this);
  connect(ops_, &QComboBox::activated, this, [this](int index) { choose_op(ops_->itemText(index)); });
  connect(ops_->lineEdit(), &QLineEdit::returnPressed, this, [this] { take_typed(true); });
  connect(ops_->lineEdit(), &QLineEdit::textEdited, this, [this] {
    wanted_op_.clear();
    op_guess_->hide();
    spec_.reset();
    make_fields();
  });
  align();
  judge();
  if (kernel_) ops_->setFocus();
  if (own.isEmpty() && kernel_) guess_op();
}

bool PlanForm::eventFilter(QObject* watched, QEvent* event) {
  if (watched == ops_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Return || key == Qt::Key_Enter) && take_typed(true)) return true;  // it does not write the plan
  } else if (watched == ops_ && event->type() == QEvent::FocusOut) {
    const Qt::FocusReason reason = static_cast<QFocusEvent*>(event)->reason();
    if (reason == Qt::TabFocusReason || reason == Qt::MouseFocusReason)
      go_on_ = take_typed(reason == Qt::TabFocusReason) && reason == Qt::TabFocusReason;
  }
  return QDialog::eventFilter(watched, event);
}

QStringList PlanForm::ops_with(const QString& typed) const {
  QStringList names;
  for (int i = 0; i < ops_->count(); ++i)
    if (ops_->itemText(i).contains(typed, Qt::CaseInsensitive)) names += ops_->itemText(i);
  return names;
}

bool PlanForm::take_typed(bool sole) {
  const QString typed = ops_->currentText().trimmed();
  if (typed.isEmpty() || typed == wanted_op_) return false;
  const int full = ops_->findText(typed, Qt::MatchFixedString);
  const QStringList found = full >= 0 ? QStringList{ops_->itemText(full)} : sole ? ops_with(typed) : QStringList();
  if (found.size() == 1) choose_op(found.front());
  return found.size() == 1;
}

void PlanForm::choose_op(const QString& name) {
  if (name == wanted_op_) return;
  wanted_op_ = name;
  op_guess_->hide();
  ops_->setCurrentIndex(ops_->findText(name));
  ops_->setEditText(name);
  if (spec_ && qs(spec_->name) != name) {
    spec_.reset();
    make_fields();
  }
  emit op_chosen(name);
}

void PlanForm::guess_op() {
  QString called;
  const QString words = exact(kernel().name).toLower().remove('_');
  for (int i = 0; i < ops_->count(); ++i) {
    const QString name = ops_->itemText(i);
    if (words.contains(QString(name).toLower().remove('_')) && name.size() > called.size()) called = name;
  }
  if (called.isEmpty()) return;
  go_on_ = true;
  choose_op(called);
  op_guess_->show();
}

void PlanForm::set_spec(op::Spec spec) {
  if (ops_ && qs(spec.name) != wanted_op_) return;  // another one has been typed meanwhile
  spec_ = std::move(spec);
  make_fields();
  if (kernel_ && (!ops_ || std::exchange(go_on_, false))) focus_missing();
}

// The first field that nothing is known of.
void PlanForm::focus_missing() {
  std::vector<QLineEdit*> edits = {block_, grid_};
  for (const QComboBox* combo : arguments_) edits.push_back(combo->lineEdit());
  for (QLineEdit* edit : edits)
    if (edit->text().isEmpty()) return edit->setFocus(Qt::OtherFocusReason);
}

// Anew for each op: what its parameters are depends on it.
void PlanForm::make_fields() {
  delete fields_;
  arguments_.clear();
  grid_ = block_ = shared_ = nullptr;
  QScrollArea* area = make_scroll_area(this);  // a kernel may have hundreds of parameters
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  auto* fields = new QWidget(area);
  area->setWidget(fields);
  fields_ = area;
  static_cast<QVBoxLayout*>(layout())->insertWidget(layout()->indexOf(op_row_) + 1, area,
                                                    100);  // before the empty room
  setWindowTitle(kernel_ ? tr("Launch plan of %1").arg(qs(kernel().name)) : tr("Launch plan"));
  if (!kernel_) {
    about_->setText(
        tr("The text has %1 kernels without a launch plan. Which one is the candidate?").arg(kernels_.size()));
    fields_->hide();
    return judge();
  }
  if (!spec_) {
    about_->setText(tr("%1 has no launch plan. What does it compute? An op that is not in the library needs its spec "
                       "first, in the Describe panel.")
                        .arg(qs(kernel().name)));
    fields_->hide();
    return judge();
  }
  QStringList sizes;
  for (const std::string& size : spec_->symbols) sizes += exact(size);
  QStringList extents;  // a thread for each element of the first output
  const op::Param* output = spec_->outputs.empty() ? nullptr : &spec_->outputs.front();
  for (const op::ExprPtr& size : output ? output->shape : std::vector<op::ExprPtr>()) {
    const QString extent = exact(op::print(*size));
    extents += extent.contains(' ') ? "(" + extent + ")" : extent;
  }
  const QString blocks_over =
      extents.isEmpty() ? QStringLiteral("1") : QString("ceildiv(%1, 256)").arg(extents.join(" * "));
  const QString how =
      sizes.isEmpty()
          ? tr("Numbers: the op has no sizes.")
          : tr("Numbers or expressions over the op\u2019s sizes (%1), such as %2.").arg(sizes.join(", "), blocks_over);
  about_->setText(tr("How %1 computes %2. %3").arg(qs(kernel().name), qs(spec_->name), how));
  const candidate::SuggestedLaunch suggested = candidate::suggest_launch(kernel(), text_.toStdString(), *spec_);
  QGridLayout* grid = form_grid(fields);
  grid->setColumnStretch(3, 0);  // the fields take what is left
  int row = 0;
  block_ = line(grid, row++, "plan_block", tr("Threads per block"), tr("x, y, z: 256"), suggested.block);
  grid_ = line(grid, row++, "plan_grid", tr("Blocks"), tr("x, y, z: %1").arg(blocks_over), suggested.grid);
  shared_ = line(grid, row++, "plan_shared", tr("Dynamic shared bytes"),
                 kernel().dynamic_shared ? tr("bytes: 4 * 256") : tr("none"), suggested.shared);
  for (std::size_t i = 0; i < kernel().parameters.size(); ++i) argument(grid, row++, i, suggested.args[i]);
  const QString blocks = exact(suggested.grid.text);
  blocks_follow_ = blocks.contains('?');
  if (blocks_follow_)
    connect(block_, &QLineEdit::textEdited, this, [this, blocks](const QString& threads) {
      if (!grid_->isModified() && !threads.contains(',')) grid_->setText(QString(blocks).replace('?', threads));
    });
  for (QLineEdit* edit : {grid_, block_, shared_}) connect(edit, &QLineEdit::textChanged, this, &PlanForm::judge);
  fields_->show();
  align();
  judge();
  QTimer::singleShot(0, this, &PlanForm::fit);  // the fields have their sizes once they are shown
}

// The fields of all groups begin below one another. An item whose widget is not shown yet has no size, a widget has.
void PlanForm::align() {
  QList<QGridLayout*> grids;
  int captions = 0;
  for (QGridLayout* grid : findChildren<QGridLayout*>())
    if (const QLayoutItem* caption = grid->itemAtPosition(0, 0)) {
      grids += grid;
      for (int row = 0; row < grid->rowCount(); ++row)
        if ((caption = grid->itemAtPosition(row, 0)))
          captions = std::max(captions, caption->widget()->sizeHint().width());
    }
  for (QGridLayout* grid : grids) grid->setColumnMinimumWidth(0, captions);
}

QLineEdit* PlanForm::line(QGridLayout* grid, int row, const QString& id, const QString& caption,
                          const QString& placeholder, const Suggested& suggested) {
  auto* edit = with_id(new QLineEdit(filled(suggested), grid->parentWidget()), id);
  edit->setPlaceholderText(placeholder);
  add_caption(grid, caption, edit, row, 0);
  grid->addWidget(edit, row, 1);
  mark_guess(grid, row, suggested, QString("plan_guess_%1").arg(row), edit);
  return edit;
}

void PlanForm::argument(QGridLayout* grid, int row, std::size_t parameter, const Suggested& suggested) {
  const candidate::KernelParameter& p = kernel().parameters[parameter];
  auto* combo = with_id(new QComboBox(grid->parentWidget()), QString("plan_arg_%1").arg(parameter));
  if (p.pointer) {
    for (const auto* list : {&spec_->inputs, &spec_->outputs})
      for (const op::Param& t : *list) combo->addItem(exact(t.name));
  } else {
    for (const std::string& s : spec_->symbols) combo->addItem(exact(s));
    for (const op::Constant& c : spec_->constants) combo->addItem(exact(c.name));
  }
  make_searchable(combo);
  combo->setEditText(filled(suggested));
  combo->lineEdit()->setPlaceholderText(p.pointer ? tr("which tensor?") : tr("which size or constant?"));
  add_caption(grid, QString("%1 %2").arg(qs(p.type), qs(p.name)).trimmed(), combo, row, 0);
  grid->addWidget(combo, row, 1);
  mark_guess(grid, row, suggested, QString("plan_guess_%1").arg(row), combo->lineEdit());
  connect(combo, &QComboBox::editTextChanged, this, &PlanForm::judge);
  arguments_.push_back(combo);
}

candidate::SuggestedLaunch PlanForm::launch() const {
  candidate::SuggestedLaunch out;
  out.kernel = kernel().name;
  out.grid = answer(grid_->text());
  out.block = answer(block_->text());
  out.shared = answer(shared_->text());
  if (out.shared.text.empty() && !kernel().dynamic_shared) out.shared.source = Source::known;
  for (const QComboBox* combo : arguments_) out.args.push_back(answer(combo->currentText()));
  return out;
}

QString PlanForm::text_with(const candidate::SuggestedLaunch& launch) const {
  return spec_ && kernel_ ? exact(candidate::with_plan_lines(text_.toStdString(), *spec_, kernel(), launch)) : text_;
}

// The captions of the fields that nothing is known of, and that follow from no other.
QStringList PlanForm::missing() const {
  const candidate::SuggestedLaunch now = launch();
  std::vector<std::pair<const Suggested*, QString>> all = {
      {&now.block, tr("Threads per block")}, {&now.grid, tr("Blocks")}, {&now.shared, tr("Dynamic shared bytes")}};
  for (std::size_t i = 0; i < now.args.size(); ++i) all.emplace_back(&now.args[i], qs(kernel().parameters[i].name));
  QStringList names;
  for (const auto& [value, name] : all)
    if ((value->source == Source::unknown || value->text.find('?') != std::string::npos) &&
        !(blocks_follow_ && value == &now.grid))
      names += name;
  return names;
}

QString PlanForm::op_wanted() const {
  const QString typed = ops_ ? ops_->currentText().trimmed() : QString();
  if (typed.isEmpty() || typed == wanted_op_) return tr("Choose the operation.");
  const QStringList found = ops_with(typed);
  if (const int full = ops_->findText(typed, Qt::MatchFixedString); full >= 0 || found.size() == 1)
    return tr("Return chooses %1.").arg(full >= 0 ? ops_->itemText(full) : found.front());
  return found.isEmpty()
             ? tr("No op of the library has “%1” in its name.").arg(typed)
             : tr("%1 ops have “%2” in their names: keep typing, or choose one.").arg(found.size()).arg(typed);
}

// The first field whose text is no size, before the others are filled in; empty: none.
QString PlanForm::wrong_size() const {
  QStringList names;
  for (const std::string& s : spec_->symbols) names += exact(s);
  for (const op::Constant& c : spec_->constants)
    if (c.type == op::Type::integer) names += exact(c.name);
  const QString over = names.join(", ");
  static const QRegularExpression tune("^\\s*//@\\s*tune\\s+(\\w+)", QRegularExpression::MultilineOption);
  for (auto it = tune.globalMatch(text_); it.hasNext();) names += it.next().captured(1);
  const std::pair<const QLineEdit*, QString> fields[] = {
      {block_, tr("Threads per block")}, {grid_, tr("Blocks")}, {shared_, tr("Dynamic shared bytes")}};
  for (const auto& [edit, caption] : fields) {
    const Suggested size = answer(edit->text());
    if (size.source == Source::unknown || size.text.find('?') != std::string::npos || are_sizes(size.text, names))
      continue;
    return over.isEmpty()
               ? tr("%1: numbers, not “%2”.").arg(caption, edit->text())
               : tr("%1: numbers, or expressions over %3, not “%2”.").arg(caption, edit->text().simplified(), over);
  }
  return {};
}

// The first field with a value at the op's default sizes that CUDA does not allow, and why; empty: none.
QString PlanForm::wrong_value() const {
  const candidate::SuggestedLaunch given = launch();
  const Status all = launchable(text_with(given), *spec_);
  if (all) return {};
  const Suggested one = {"1", Source::known}, none = {"", Source::known};
  const std::pair<Suggested candidate::SuggestedLaunch::*, QString> fields[] = {
      {&candidate::SuggestedLaunch::block, tr("Threads per block")},
      {&candidate::SuggestedLaunch::grid, tr("Blocks")},
      {&candidate::SuggestedLaunch::shared, tr("Dynamic shared bytes")}};
  for (const auto& [field, caption] : fields) {
    candidate::SuggestedLaunch alone = given;
    alone.block = alone.grid = one;
    alone.shared = none;
    alone.*field = given.*field;
    if (const Status s = launchable(text_with(alone), *spec_); !s)
      return tr("%1: %2.").arg(caption, qs(s.error().text()));
  }
  return qs(all.error().text());
}

void PlanForm::judge() {
  QString why;
  if (!kernel_) {
    why = tr("Choose the kernel.");
  } else if (!spec_) {
    why = op_wanted();
  } else if (why = wrong_size(); !why.isEmpty()) {
  } else if (!launch().complete()) {
    const QStringList open = missing();
    why = open.isEmpty() ? tr("Fill in: %1.").arg(tr("Blocks")) : tr("Fill in: %1.").arg(open.join(", "));
    if (blocks_follow_ && block_->text().isEmpty()) why += tr(" The blocks follow from the threads.");
  } else {
    const auto parsed = candidate::parse(text().toStdString(), candidate::Language::cuda);
    const Status fits = parsed ? candidate::check_contract(*parsed, *spec_) : Status(fail(parsed.error()));
    why = fits ? wrong_value() : qs(fits.error().message);
  }
  problem_->setText(why.isEmpty() ? tr("The plan fits the op. It is written above the kernel.") : why);
  write_->setEnabled(why.isEmpty());
  fit();
}

}  // namespace ww::widgets
