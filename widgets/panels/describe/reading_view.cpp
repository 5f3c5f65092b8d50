// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/reading_view.h"
#include <QClipboard>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLineEdit>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <string_view>
#include "panels/describe/sentence_edit.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/wrap_button.h"

namespace ww::widgets {

ReadingView::ReadingView(QWidget* parent, Arrangement arrangement)
    : QWidget(parent), layout_(new QVBoxLayout(this)), arrangement_(arrangement) {
  layout_->setContentsMargins(0, 0, 0, 0);
  layout_->setSpacing(grid::half);
  setAccessibleName(tr("How the sentence was understood"));
}

void ReadingView::follow(ReadingView* other) {
  connect(other, &ReadingView::changed, this, [this, other] {
    for (const Shown& shown : std::vector(other->shown_)) shown(*this);
  });
  connect(this, &ReadingView::example_chosen, other, &ReadingView::example_chosen);
  connect(this, &ReadingView::op_chosen, other, &ReadingView::op_chosen);
  connect(this, &ReadingView::candidate_wanted, other, &ReadingView::candidate_wanted);
  connect(this, &ReadingView::plan_wanted, other, &ReadingView::plan_wanted);
  connect(this, &ReadingView::import_wanted, other, &ReadingView::import_wanted);
  connect(this, &ReadingView::model_wanted, other, &ReadingView::model_wanted);
  connect(this, &ReadingView::settings_wanted, other, &ReadingView::settings_wanted);
  connect(other, &ReadingView::no_model_changed, this, &ReadingView::set_no_model);
  set_no_model(other->no_model_);
  connect(this, &ReadingView::stop_wanted, other, &ReadingView::stop_wanted);
  connect(this, &ReadingView::exchange_wanted, other, &ReadingView::exchange_wanted);
}

void ReadingView::begin(Shown shown) {
  shown_ = {std::move(shown)};
  lines_.clear();
  while (QLayoutItem* item = layout_->takeAt(0)) {
    if (QWidget* w = item->widget()) {
      w->hide();
      w->deleteLater();
    }
    delete item;
  }
}

QWidget* ReadingView::note(const QString& text, const char* role, const QString& icon) {
  auto* row = new QWidget(this);
  auto* line = make_row(row);
  if (!icon.isEmpty()) {
    auto* mark = new Label(row);
    mark->set_icon(icon, QString(role) == "error" ? "rejected" : QString(role) == "ok" ? "accepted" : "warning", 16);
    line->addWidget(mark, 0, Qt::AlignTop);
  }
  auto* label = new Label(text, row);
  label->setWordWrap(true);
  label->setProperty("role", role);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  line->addWidget(label, 1);
  layout_->addWidget(row);
  lines_ += text;
  return row;
}

void ReadingView::show_examples(const std::vector<OpSummary>& ops) {
  begin([ops](ReadingView& other) { other.show_examples(ops); });
  auto* intro = new Label(tr("Describe an operation in a sentence. For example:"), this);
  intro->setProperty("role", "muted");
  intro->setWordWrap(true);
  layout_->addWidget(intro);
  lines_ += intro->text();
  constexpr std::string_view everyday[] = {"softmax", "layernorm", "matmul", "gelu"};
  for (const OpSummary& op : ops) {
    if (op.phrase.empty() || std::ranges::find(everyday, op.name) == std::end(everyday)) continue;
    auto* button = new QPushButton(qs(op.phrase), this);
    button->setProperty("role", "example");
    name_it(button, tr("Example: %1").arg(button->text()), qs(op.summary));
    connect(button, &QPushButton::clicked, this, [this, text = button->text()] { emit example_chosen(text); });
    layout_->addWidget(button);
    lines_ += button->text();
  }
  finish();
}

void ReadingView::show_note(const QString& text, const char* role) {
  begin([text, role](ReadingView& other) { other.show_note(text, role); });
  if (!text.isEmpty()) note(text, role, QString(role) == "muted" ? QString() : "warning");
  finish();
}

void ReadingView::add_note(const QString& text, const char* role) {
  shown_.push_back([text, role](ReadingView& other) { other.add_note(text, role); });
  delete layout_->takeAt(layout_->count() - 1);  // the stretch
  note(text, role);
  finish();
}

void ReadingView::finish() {
  layout_->addStretch(1);
  emit changed();
}

// Words in a row with one explanation together: "batch 8, seq 128".
static std::vector<op::Word> said_once(const std::vector<op::Word>& words) {
  constexpr std::size_t longest = 28;
  std::vector<op::Word> out;
  for (const op::Word& word : words) {
    if (word.meaning == op::Meaning::filler) continue;
    if (out.empty() || word.reading.empty() || out.back().reading != word.reading ||
        out.back().meaning != word.meaning) {
      out.push_back(word);
      continue;
    }
    op::Word& before = out.back();
    const std::string begin = before.text.substr(0, before.text.find(" \u2026 "));
    const std::string whole = before.text + " " + word.text;
    before.text = whole.size() <= longest && begin == before.text ? whole : begin + " \u2026 " + word.text;
    before.span.end = word.span.end;
  }
  return out;
}

void ReadingView::show_words(const std::vector<op::Word>& words) {
  auto* table = new QWidget(this);
  const bool flows = arrangement_ == Arrangement::flow;
  QGridLayout* rows = flows ? nullptr : make_grid(table);
  FlowLayout* flow = flows ? new FlowLayout(table) : nullptr;
  if (rows) {
    rows->setVerticalSpacing(grid::half);
    rows->setColumnStretch(1, 1);
  }
  int row = 0;
  for (const op::Word& word : said_once(words)) {
    auto* pair = flows ? new QWidget(table) : table;
    const QColor color = Theme::instance().color(meaning_token(word.meaning));
    auto* chip = new Label(qs(word.text), pair);
    chip->setStyleSheet(
        QString("QLabel { color: %1; border: 1px solid %1; border-radius: 8px; padding: 0px 7px; }").arg(color.name()));
    chip->setToolTip(meaning_title(word.meaning));
    chip->setAccessibleName(tr("%1: %2").arg(meaning_title(word.meaning), qs(word.text)));
    const QString reading_text = word.reading.empty() ? meaning_title(word.meaning) : qs(word.reading);
    auto* label = new Label(reading_text, pair);
    label->setWordWrap(!flows);
    label->setToolTip(meaning_title(word.meaning));
    lines_ += qs(word.text) + ": " + reading_text;
    if (flows) {
      auto* line = make_row(pair, {}, grid::half);
      line->addWidget(chip);
      line->addWidget(label);
      flow->addWidget(pair);
    } else {
      rows->addWidget(chip, row, 0, Qt::AlignLeft | Qt::AlignTop);
      rows->addWidget(label, row, 1, Qt::AlignTop);
    }
    ++row;
  }
  if (row > 0)
    layout_->addWidget(table);
  else
    delete table;
}

// The spec and its drawing say the same in less room: folded until it is asked for.
void ReadingView::show_prose(const SentenceReading& reading) {
  QStringList prose;
  if (!reading.said.isEmpty()) prose += tr("In words: %1").arg(reading.said);
  if (!reading.formula.isEmpty()) prose += tr("Formula: %1").arg(reading.formula);
  if (prose.isEmpty()) return;
  auto* opener = with_id(new QToolButton(this), "reading_prose");
  opener->setText(tr("In words and as a formula"));
  opener->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  opener->setProperty("role", "section");
  opener->setCheckable(true);
  opener->setChecked(prose_shown_);
  name_it(opener, opener->text(), tr("Show what the sentence means in words and as a formula, or hide it"));
  layout_->addWidget(opener, 0, Qt::AlignLeft);
  std::vector<QWidget*> rows;
  for (const QString& text : prose) rows.push_back(note(text, text == prose.front() ? "" : "muted"));
  const auto show = [this, opener, rows](bool on) {
    prose_shown_ = on;
    opener->setIcon(Theme::instance().icon(on ? "chevron-down" : "chevron-right"));
    for (QWidget* row : rows) row->setVisible(on);
  };
  connect(opener, &QToolButton::toggled, this, show);
  show(prose_shown_);
}

void ReadingView::show_reading(const SentenceReading& reading) {
  begin([reading](ReadingView& other) { other.show_reading(reading); });
  if (!reading.error.isEmpty()) {
    if (arrangement_ == Arrangement::column) note(reading.error, "error", "error");
    finish();
    return;
  }
  show_words(reading.understanding.words);
  show_prose(reading);
  for (const std::string& question : reading.understanding.questions)
    if (arrangement_ == Arrangement::column || &question != &reading.understanding.questions.front())
      note(qs(question), "warning", "warning");
  for (const std::string& warning : reading.understanding.warnings) note(qs(warning), "warning", "warning");
  for (const op::Choice& choice : reading.understanding.choices) {
    auto* button = new WrapButton(tr("%1 (%2)").arg(qs(choice.sentence), qs(choice.difference)), this);
    button->setProperty("role", "example");
    name_it(button, tr("Answer: %1").arg(qs(choice.sentence)), qs(choice.difference));
    connect(button, &QPushButton::clicked, this, [this, text = exact(choice.sentence)] { emit example_chosen(text); });
    layout_->addWidget(button);
    lines_ += button->text();
  }
  if (!reading.understanding.nearest.empty()) {
    QStringList names;
    for (const std::string& name : reading.understanding.nearest) names += qs(name);
    op_links(tr("Nearest ops:"), names);
  }
  if (reading.spec_text.isEmpty() && reading.error.isEmpty()) add_ask_button();
  finish();
}

void ReadingView::set_no_model(const QString& why) {
  if (why == no_model_) return;
  no_model_ = why;
  show_ask_button();
  emit no_model_changed(why);
}

void ReadingView::add_ask_button() {
  ask_ = make_button(this, "ask_model", {});
  connect(ask_, &QPushButton::clicked, this, [this] {
    if (no_model_.isEmpty())
      emit model_wanted();
    else
      emit settings_wanted();
  });
  layout_->addWidget(ask_, 0, Qt::AlignLeft);
  show_ask_button();
}

void ReadingView::show_ask_button() {
  if (!ask_) return;
  const QString text = no_model_.isEmpty() ? tr("Ask a model") : tr("Set up a model\u2026");
  ask_->setText(text);
  name_it(ask_, text,
          no_model_.isEmpty() ? tr("A language model turns a sentence, a PyTorch module or a kernel into an op spec. "
                                   "You check it; nothing runs until you press Run.")
                              : tr("%1 Opens the settings.").arg(no_model_));
}

void ReadingView::op_links(const QString& caption, const QStringList& names) {
  auto* near_row = new QWidget(this);
  auto* flow = new FlowLayout(near_row, grid::half);
  auto* label = new Label(caption, near_row);
  label->setProperty("role", "muted");
  flow->addWidget(label);
  for (const QString& name : names) {
    auto* link = new QPushButton(name, near_row);
    link->setProperty("role", "link");
    link->setCursor(Qt::PointingHandCursor);
    name_it(link, tr("Use the op %1").arg(name), tr("Use the spec of %1").arg(name));
    connect(link, &QPushButton::clicked, this, [this, name] { emit op_chosen(name); });
    flow->addWidget(link);
    lines_ += name;
  }
  layout_->addWidget(near_row);
}

void ReadingView::show_code(TextKind kind, const QStringList& ops, const QString& command, const QStringList& modules) {
  begin([kind, ops, command, modules](ReadingView& other) { other.show_code(kind, ops, command, modules); });
  if (kind == TextKind::candidate) {
    note(tr("This is a candidate: a kernel with its launch plan. Every run judges your own candidates first."),
         "muted");
    add_button("add_candidate", tr("Add as a candidate"),
               tr("It is judged first when you press Run; the op comes from the spec below"),
               [this] { emit candidate_wanted(); });
    finish();
    return;
  }
  if (kind == TextKind::pytorch) {
    show_pytorch(ops, command, modules);
  } else {
    note(
        kind == TextKind::cuda
            ? tr("This is a CUDA kernel without a launch plan. Specify its op and launch plan, and it is judged first.")
            : tr("This is PTX without a launch plan. Its op must be known before it can be proved: "
                 "write the op spec below, or ask a model for it."),
        "muted");
    if (kind == TextKind::cuda)
      add_button("write_plan", tr("Write launch plan\u2026"),
                 tr("A form asks for the op, the blocks, the threads and the meaning of each parameter"),
                 [this] { emit plan_wanted(); });
  }
  add_ask_button();
  finish();
}

void ReadingView::show_pytorch(const QStringList& ops, const QString& command, const QStringList& modules) {
  note(
      tr("This is PyTorch. The import turns its module into an op spec and compares the two. For that, Python runs the "
         "file, after you agree."),
      "muted");
  constexpr qsizetype most_buttons = 6;
  const QString tip = tr("Needs a Python with PyTorch 2.6 or later");
  if (modules.isEmpty()) add_button("import_module", tr("Import…"), tip, [this] { emit import_wanted({}); });
  for (const QString& module : modules.last(std::min(most_buttons, modules.size())))
    add_button("import_module", tr("Import %1…").arg(module), tip, [this, module] { emit import_wanted(module); });
  note(tr("Or in a terminal:"), "muted");
  add_command(command);
  note(ops.isEmpty()
           ? tr("Its calls match no op in the library: without the import, write the op spec below, or ask a model.")
           : tr("Ops of the library with some of its calls, which may compute something else:"),
       "muted");
  if (!ops.isEmpty()) op_links(tr("Ops:"), ops);
}

void ReadingView::add_command(const QString& command) {
  auto* line = with_id(new QLineEdit(command, this), "import_command");
  line->setReadOnly(true);
  line->setCursorPosition(0);
  name_it(line, tr("Command that imports the module"), command);
  layout_->addWidget(line);
  add_button("copy_command", tr("Copy the command"), command,
             [command] { QGuiApplication::clipboard()->setText(command); });
  lines_ += command;
}

void ReadingView::add_button(const char* name, const QString& text, const QString& tip, std::function<void()> pressed) {
  auto* button = make_button(this, name, text, tip);
  connect(button, &QPushButton::clicked, this, pressed);
  layout_->addWidget(button, 0, Qt::AlignLeft);
}

void ReadingView::show_asking(const QString& text) {
  begin([text](ReadingView& other) { other.show_asking(text); });
  note(text, "muted");
  add_button("stop_asking", tr("Stop"), tr("Stop it; tokens already used are spent"), [this] { emit stop_wanted(); });
  finish();
}

void ReadingView::show_formulated(const Formulated& made, bool taken) {
  begin([made, taken](ReadingView& other) { other.show_formulated(made, taken); });
  if (made.by == Formulated::By::import) {
    note(taken ? tr("The op spec below was imported from your module.")
               : tr("The module is imported. Its spec is shown above yours."),
         "muted");
    note(qs(made.explanation), "muted");
    for (const std::string& fact : made.assumptions) note(qs(fact), "muted");
    finish();
    return;
  }
  note(taken ? tr("A model wrote the spec below for your text. Check it and its example before you press Run.")
             : tr("A model has replied. Its spec is shown above yours."),
       "warning", "warning");
  if (!made.passed_on.empty()) note(qs(made.passed_on) + '.', "warning");
  if (!made.explanation.empty()) note(qs(made.explanation), "muted");
  for (const std::string& assumption : made.assumptions) note(tr("Assumed: %1").arg(qs(assumption)), "warning");
  for (const std::string& doubt : made.doubts) note(tr("In doubt: %1").arg(qs(doubt)), "warning", "warning");
  if (!made.compared.empty()) note(qs(made.compared).trimmed(), "muted");
  if (made.exchange != 0)
    add_button("show_exchange", tr("What was sent"), tr("Show the request and the reply"),
               [this, id = made.exchange] { emit exchange_wanted(id); });
  finish();
}

}  // namespace ww::widgets
