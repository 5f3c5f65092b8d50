// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/spec_view.h"
#include <Qsci/qsciapis.h>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include "panels/describe/equation_drawing.h"
#include "parts/editor/code_editor.h"
#include "parts/editor/search_bar.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {
constexpr int fewest_lines = 5, most_lines = 14;  // of the editor's height
}

SpecView::SpecView(QWidget* parent) : QWidget(parent) {
  auto* layout = make_column(this);
  tabs_ = new QTabWidget(this);
  tabs_->setDocumentMode(true);
  name_it(tabs_, tr("Spec, drawing and example"));
  auto* page = new QWidget(tabs_);
  auto* column = make_column(page, {}, grid::half);
  editor_ = with_id(new CodeEditor(CodeLanguage::op, false, page), "spec_editor");
  editor_->set_line_numbers(true);
  name_it(editor_, tr("Op spec"));
  auto* words = new QsciAPIs(editor_->lexer());  // the language's, beside those of the text itself
  for (const char* word :
       {"sum(",    "prod(", "max(",   "min(",   "argmax(", "argmin(", "any(",   "all(",   "if(",    "pad(",
        "default", "exp(",  "exp2(",  "expm1(", "log(",    "log2(",   "log10(", "log1p(", "sqrt(",  "rsqrt(",
        "sin(",    "cos(",  "tan(",   "atan(",  "atan2(",  "sinh(",   "cosh(",  "tanh(",  "erf(",   "pow(",
        "abs(",    "sign(", "floor(", "ceil(",  "round(",  "trunc(",  "clamp(", "isnan(", "isinf(", "f64",
        "f32",     "f16",   "bf16",   "i64",    "i32",     "i8",      "u8",     "u16",    "u32",    "u64",
        "e4m3",    "e5m2",  "bool",   "true",   "false",   "inf",     "pi"})
    words->add(word);
  words->prepare();
  editor_->setAutoCompletionSource(QsciScintilla::AcsAll);
  editor_->setAutoCompletionThreshold(2);
  editor_->setAutoCompletionReplaceWord(false);
  errors_ = with_id(new QListWidget(page), "spec_errors");
  errors_->setWordWrap(true);
  errors_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  name_it(errors_, tr("Errors of the spec"));
  errors_->hide();
  search_ = new SearchBar([this] { return editor_; }, page);
  column->addWidget(editor_, 1);
  column->addWidget(search_);
  column->addWidget(errors_);
  example_ = with_id(new QPlainTextEdit(tabs_), "worked_example");
  example_->setReadOnly(true);
  example_->setTabChangesFocus(true);
  example_->setLineWrapMode(QPlainTextEdit::NoWrap);
  const auto restyle = [this] { example_->setFont(painted_code_font()); };
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, restyle);
  example_->setPlaceholderText(tr("A worked example with small numbers appears here when the spec is complete."));
  name_it(example_, tr("Worked example"));
  tabs_->addTab(page, tr("Op spec"));
  QScrollArea* area = make_scroll_area(tabs_);
  drawing_ = with_id(new EquationDrawing(area), "equations");
  area->setWidget(drawing_);
  tabs_->addTab(area, tr("Equations"));
  tabs_->setTabToolTip(1, tr("Drawing of the tensor elements that one element of each result needs"));
  tabs_->addTab(example_, tr("Example"));
  tabs_->setTabToolTip(2, tr("Worked with small numbers"));
  layout->addWidget(tabs_);
  connect(editor_, &QsciScintilla::textChanged, this, &SpecView::edited);
  connect(editor_, &QsciScintilla::textChanged, search_, &SearchBar::refresh);
  connect(editor_, &QsciScintilla::linesChanged, this, &SpecView::fit);
  connect(&Theme::instance(), &Theme::changed, this, &SpecView::fit);
  fit();
  connect(drawing_, &EquationDrawing::line_chosen, this, [this](int line) {
    tabs_->setCurrentIndex(0);
    if (line > 0) editor_->go_to(line);
    editor_->setFocus();
  });
  connect(errors_, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
    editor_->go_to(item->data(Qt::UserRole).toInt(), item->data(Qt::UserRole + 1).toInt());
    editor_->setFocus();
  });
  connect(errors_, &QListWidget::itemClicked, errors_, &QListWidget::itemActivated);
}

// As high as its text, within bounds, so that it seldom scrolls within the panel.
void SpecView::fit() {
  const int line = editor_->textHeight(0);
  editor_->setMinimumHeight(std::clamp(editor_->lines() + 1, fewest_lines, most_lines) * std::max(line, 1));
}

void SpecView::open_search() {
  tabs_->setCurrentIndex(0);
  search_->open();
}

QString SpecView::text() const { return editor_->text(); }

void SpecView::set_text(const QString& text) { editor_->replace_code(text); }

void SpecView::show_reading(const SpecReading& reading) {
  if (reading.text != text()) return;  // the text has moved on; its own reading follows
  editor_->show_diagnostics(reading.outcome.diagnostics);
  drawing_->show_figures(reading.figures);
  errors_->clear();
  for (const Diagnostic& d : reading.outcome.diagnostics) {
    QString line = tr("%1:%2  %3").arg(d.place.line).arg(d.place.column).arg(qs(d.message));
    if (!d.hint.empty()) line += "  " + qs(d.hint);
    auto* item = new QListWidgetItem(Theme::instance().icon("error", "rejected"), line, errors_);
    item->setData(Qt::UserRole, d.place.line);
    item->setData(Qt::UserRole + 1, d.place.column);
    item->setToolTip(line);
  }
  const int row = errors_->count() > 0 ? std::max(errors_->sizeHintForRow(0), errors_->fontMetrics().height() + 4) : 0;
  errors_->setFixedHeight(std::clamp(row * errors_->count() + 6, 28, 90));
  errors_->setVisible(errors_->count() > 0);
  const int n = errors_->count();
  tabs_->setTabText(0, n == 0 ? tr("Op spec") : n == 1 ? tr("Op spec (1 error)") : tr("Op spec (%1 errors)").arg(n));
}

QStringList SpecView::errors() const {
  QStringList list;
  for (int i = 0; i < errors_->count(); ++i) list += errors_->item(i)->text();
  return list;
}

void SpecView::show_example(const QString& example, const QString& error) {
  example_->setPlainText(error.isEmpty() ? example : tr("No example: %1").arg(error));
}

}  // namespace ww::widgets
