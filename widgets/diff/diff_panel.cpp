// SPDX-License-Identifier: GPL-3.0-or-later
#include "diff/diff_panel.h"
#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStackedLayout>
#include <QToolButton>
#include <Qsci/qscistyle.h>
#include <algorithm>
#include "editor/code_editor.h"
#include "theme/elide_label.h"
#include "theme/text.h"
#include "theme/theme.h"

namespace ww::widgets {

DiffPanel::DiffPanel(const CandidateModel* model, QWidget* parent) : QWidget(parent), model_(model) {
  setProperty("role", "panel");
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 4, 0, 0);
  outer->setSpacing(4);
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(8, 0, 8, 0);
  auto* label = new QLabel(tr("Compare with"), this);
  chooser_ = new QComboBox(this);
  chooser_->setObjectName("diff_chooser");
  chooser_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  chooser_->setMinimumContentsLength(14);
  name_it(chooser_, tr("Candidate to compare with"), tr("The parent, or any other candidate of the run"));
  label->setBuddy(chooser_);
  summary_ = new QLabel(this);
  summary_->setObjectName("diff_summary");
  summary_->setProperty("role", "muted");
  const auto button = [&](const char* icon, const QString& name, bool forward) {
    auto* b = new QToolButton(this);
    b->setIcon(Theme::instance().icon(icon));
    connect(&Theme::instance(), &Theme::changed, b, [b, icon] { b->setIcon(Theme::instance().icon(icon)); });
    name_it(b, name, name);
    connect(b, &QToolButton::clicked, this, [this, forward] { step(forward); });
    return b;
  };
  previous_ = button("previous", tr("Previous change (Shift+F7)"), false);
  next_ = button("next", tr("Next change (F7)"), true);
  bar->addWidget(label);
  bar->addWidget(chooser_, 1);
  bar->addWidget(summary_);
  bar->addWidget(previous_);
  bar->addWidget(next_);
  outer->addLayout(bar);

  const ContentPages made = content_pages(outer);
  pages_ = made.pages;
  empty_ = made.empty;
  QWidget* page = made.content;
  auto* grid = new QGridLayout(page);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(2);
  left_title_ = new ElideLabel(page);
  right_title_ = new ElideLabel(page);
  for (ElideLabel* title : {left_title_, right_title_}) title->setContentsMargins(8, 0, 4, 0);
  left_ = new CodeEditor(CodeLanguage::cuda, true, page);
  right_ = new CodeEditor(CodeLanguage::cuda, true, page);
  left_->setObjectName("diff_left");
  right_->setObjectName("diff_right");
  name_it(left_, tr("The candidate that it is compared with"));
  name_it(right_, tr("The selected candidate"));
  for (CodeEditor* e : {left_, right_}) {
    e->set_line_numbers(false);
    e->setMarginType(3, QsciScintilla::TextMarginRightJustified);
    e->setCaretLineVisible(false);
  }
  grid->addWidget(left_title_, 0, 0);
  grid->addWidget(right_title_, 0, 1);
  grid->addWidget(left_, 1, 0);
  grid->addWidget(right_, 1, 1);
  grid->setRowStretch(1, 1);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);

  const auto follow = [this](QScrollBar* from, QScrollBar* to) {
    connect(from, &QScrollBar::valueChanged, this, [this, to](int value) {
      if (syncing_) return;
      syncing_ = true;
      to->setValue(value);
      syncing_ = false;
    });
  };
  follow(left_->verticalScrollBar(), right_->verticalScrollBar());
  follow(right_->verticalScrollBar(), left_->verticalScrollBar());
  follow(left_->horizontalScrollBar(), right_->horizontalScrollBar());
  follow(right_->horizontalScrollBar(), left_->horizontalScrollBar());
  connect(chooser_, &QComboBox::activated, this, &DiffPanel::choose);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (pages_->currentIndex() == 1) present(std::move(shown_));
  });
  show_candidate(nullptr);
}

void DiffPanel::note(const QString& text) {
  empty_->setText(text);
  pages_->setCurrentIndex(0);
  summary_->clear();
  previous_->setEnabled(false);
  next_->setEnabled(false);
  shown_ = {};
}

void DiffPanel::show_candidate(const std::shared_ptr<const CandidateView>& candidate) {
  const bool same = candidate && candidate_ && candidate->record.id == candidate_->record.id;
  candidate_ = candidate;
  if (same) return;
  other_.reset();
  job_.forget();
  fill_chooser();
  if (!candidate) {
    note(tr("Select a candidate to see how it differs from its parent."));
    return;
  }
  choose();
}

void DiffPanel::fill_chooser() {
  const QSignalBlocker block(chooser_);
  chooser_->clear();
  chooser_->setEnabled(candidate_ != nullptr);
  if (!candidate_) return;
  const CandidateModel::Row* parent = candidate_->record.parent.empty() ? nullptr : model_->find_hash(candidate_->record.parent);
  if (parent) chooser_->addItem(tr("Parent: #%1 %2").arg(parent->data.id).arg(CandidateModel::name_of(parent->data)), QVariant::fromValue<qlonglong>(parent->data.id));
  else chooser_->addItem(tr("Choose a candidate"), 0);
  for (const CandidateModel::Row& row : model_->rows()) {
    if (row.data.id == candidate_->record.id || (parent && row.data.id == parent->data.id)) continue;
    chooser_->addItem(tr("#%1 %2").arg(row.data.id).arg(CandidateModel::name_of(row.data)), QVariant::fromValue<qlonglong>(row.data.id));
  }
  chooser_->setCurrentIndex(0);
}

void DiffPanel::choose() {
  const std::int64_t id = chooser_->currentData().toLongLong();
  if (id == 0) {
    note(candidate_->record.parent.empty() ? tr("This candidate has no parent. Choose another candidate above to compare with.")
                                           : tr("Its parent is not among this run's candidates. Choose another candidate above to compare with."));
    return;
  }
  emit other_wanted(id);
}

void DiffPanel::show_other(const std::shared_ptr<const CandidateView>& other) {
  if (!candidate_ || !other || other->record.id != chooser_->currentData().toLongLong()) return;
  other_ = other;
  compare();
}

void DiffPanel::compare() {
  job_.submit([this, left = other_, right = candidate_]() -> LatestJob::Deliver {
    auto sides = std::make_shared<SideBySide>(side_by_side(left->record.text, right->record.text));
    return [this, sides] { present(std::move(*sides)); };
  });
}

void DiffPanel::present(SideBySide sides) {
  if (!candidate_ || !other_) return;
  shown_ = std::move(sides);
  pages_->setCurrentIndex(1);
  const auto title = [](const CandidateView& v) {
    return "#" + QString::number(v.record.id) + " " + (v.record.title.empty() ? qs(v.record.structure) : qs(v.record.title));
  };
  left_title_->set_text(title(*other_));
  right_title_->set_text(title(*candidate_));
  summary_->setText(shown_.changes.empty() ? tr("no difference") : tr("+%1  \u2212%2 lines").arg(shown_.added).arg(shown_.removed));
  previous_->setEnabled(!shown_.changes.empty());
  next_->setEnabled(!shown_.changes.empty());
  fill_side(left_, true);
  fill_side(right_, false);
  if (!shown_.changes.empty()) {
    const int first = std::max(0, shown_.changes.front() - 3);
    for (CodeEditor* e : {left_, right_}) e->SendScintilla(QsciScintilla::SCI_SETFIRSTVISIBLELINE, static_cast<unsigned long>(first));
  }
}

void DiffPanel::fill_side(CodeEditor* e, bool left) {
  std::string text;
  for (const DiffRow& row : shown_.rows) text += (left ? row.left_text : row.right_text) + "\n";
  e->set_code(qs(text));
  e->markerDeleteAll();
  e->clearMarginText();
  const QsciStyle number(-1, tr("Line number"), Theme::instance().color("code-margin-text"), Theme::instance().color("code-margin"), code_font());
  int last = 0;
  const long length = e->SendScintilla(QsciScintilla::SCI_GETLENGTH);
  for (const int mark : {CodeEditor::added_word, CodeEditor::removed_word}) {
    e->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(mark));
    e->SendScintilla(QsciScintilla::SCI_INDICATORCLEARRANGE, 0UL, length);
  }
  for (std::size_t i = 0; i < shown_.rows.size(); ++i) {
    const DiffRow& row = shown_.rows[i];
    const int line = left ? row.left : row.right;
    if (line > 0) e->setMarginText(static_cast<int>(i), QString::number(line), number);
    last = std::max(last, line);
    if (row.kind == DiffKind::same) continue;
    e->markerAdd(static_cast<int>(i), line == 0 ? CodeEditor::filler_marker : left ? CodeEditor::removed_marker : CodeEditor::added_marker);
    const long start = e->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, static_cast<unsigned long>(i));
    e->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, static_cast<unsigned long>(left ? CodeEditor::removed_word : CodeEditor::added_word));
    for (const auto& [begin, end] : left ? row.left_words : row.right_words)
      e->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, static_cast<unsigned long>(start + begin), static_cast<long>(end - begin));
  }
  e->setMarginWidth(3, QString::number(std::max(last, 100)) + "9");
}

void DiffPanel::step(bool forward) {
  if (shown_.changes.empty()) return;
  int line = 0, column = 0;
  right_->getCursorPosition(&line, &column);
  const auto& changes = shown_.changes;
  int to = changes.front();
  if (forward) {
    const auto it = std::upper_bound(changes.begin(), changes.end(), line);
    to = it == changes.end() ? changes.front() : *it;  // round again from the end
  } else {
    const auto it = std::lower_bound(changes.begin(), changes.end(), line);
    to = it == changes.begin() ? changes.back() : *(it - 1);
  }
  for (CodeEditor* e : {left_, right_}) e->go_to(to + 1);
}

}  // namespace ww::widgets
