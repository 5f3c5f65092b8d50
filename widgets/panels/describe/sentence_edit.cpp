// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/describe/sentence_edit.h"
#include <QAbstractItemView>
#include <QCompleter>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMimeData>
#include <QScrollBar>
#include <QSet>
#include <QStandardItemModel>
#include <QTextBlock>
#include <QToolTip>
#include <utility>
#include "session/text_kind.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

QString meaning_token(op::Meaning meaning) {
  switch (meaning) {
    case op::Meaning::op: return "meaning-op";
    case op::Meaning::composition: return "meaning-composition";
    case op::Meaning::shape: return "meaning-shape";
    case op::Meaning::dtype: return "meaning-dtype";
    case op::Meaning::axis: return "meaning-axis";
    case op::Meaning::constant: return "meaning-constant";
    case op::Meaning::filler: return "meaning-filler";
    case op::Meaning::unknown: return "meaning-unknown";
  }
  return "text";
}

QString meaning_title(op::Meaning meaning) {
  switch (meaning) {
    case op::Meaning::op: return SentenceEdit::tr("Op");
    case op::Meaning::composition: return SentenceEdit::tr("Composition");
    case op::Meaning::shape: return SentenceEdit::tr("Shape");
    case op::Meaning::dtype: return SentenceEdit::tr("Element type");
    case op::Meaning::axis: return SentenceEdit::tr("Dimension");
    case op::Meaning::constant: return SentenceEdit::tr("Constant");
    case op::Meaning::filler: return SentenceEdit::tr("Carries no meaning");
    case op::Meaning::unknown: return SentenceEdit::tr("Not understood");
  }
  return {};
}

SentenceEdit::SentenceEdit(QWidget* parent) : PromptEdit(parent) {
  setTabChangesFocus(true);
  new DropTarget(viewport(), {.takes = [](const QMimeData& data) { return data.hasUrls(); },
                              .drop =
                                  [this](const QMimeData& data, const QPointF&) {
                                    for (const QString& file : DropTarget::local_files(data)) emit file_dropped(file);
                                    return true;
                                  }});
  setPlaceholderText(tr("A sentence, an op spec, PyTorch or CUDA; or drop a .op, .cu, .ptx, .py or .wwb file"));
  completer_ = new QCompleter(this);
  completer_->setWidget(this);
  completer_->setModel(new QStandardItemModel(completer_));
  completer_->setCaseSensitivity(Qt::CaseInsensitive);
  completer_->setMaxVisibleItems(8);
  name_it(completer_->popup(), tr("Phrases of known ops"));
  connect(completer_, qOverload<const QString&>(&QCompleter::activated), this, &SentenceEdit::take_completion);
  connect(&Theme::instance(), &Theme::changed, this, &SentenceEdit::mark);
  connect(this, &QPlainTextEdit::textChanged, this, &SentenceEdit::mark);
}

void SentenceEdit::set_phrases(const std::vector<OpSummary>& ops) {
  auto* model = static_cast<QStandardItemModel*>(completer_->model());
  model->clear();
  QSet<QString> known;
  const auto add = [&](const QString& phrase, const OpSummary& op) {
    if (phrase.isEmpty() || known.contains(phrase)) return;
    known.insert(phrase);
    auto* item = new QStandardItem(phrase);
    item->setToolTip(tr("%1: %2").arg(qs(op.name), qs(op.summary)));
    model->appendRow(item);
  };
  for (const OpSummary& op : ops) {
    for (const std::string& phrase : op.phrases) add(qs(phrase), op);
    add(qs(op.phrase), op);
    add(qs(op.name), op);
  }
  model->sort(0);
}

// The longest run of words before the caret, four at most, with which a phrase begins.
void SentenceEdit::complete(bool asked) {
  const QString before = textCursor().block().text().left(textCursor().positionInBlock());
  QStringList words = before.split(' ');
  while (words.size() > 4) words.removeFirst();
  while (!words.isEmpty() && words.first().isEmpty()) words.removeFirst();
  for (; !words.isEmpty(); words.removeFirst()) {
    const QString beginning = words.join(' ');
    if (beginning.size() < (asked ? 1 : 3)) break;
    completer_->setCompletionPrefix(beginning);
    const int found = completer_->completionCount();
    if (found == 0 || (found == 1 && completer_->currentCompletion().compare(beginning, Qt::CaseInsensitive) == 0))
      continue;
    completed_ = beginning;
    QRect at = cursorRect();
    at.setWidth(std::max(180, completer_->popup()->sizeHintForColumn(0) +
                                  completer_->popup()->verticalScrollBar()->sizeHint().width() + 12));
    completer_->complete(at);
    completer_->popup()->setCurrentIndex({});  // Return accepts only an explicit choice
    return;
  }
  completer_->popup()->hide();
}

void SentenceEdit::take_completion(const QString& phrase) {
  QTextCursor cursor = textCursor();
  cursor.movePosition(QTextCursor::Left, QTextCursor::KeepAnchor, static_cast<int>(completed_.size()));
  cursor.insertText(phrase);
  setTextCursor(cursor);
}

void SentenceEdit::keyPressEvent(QKeyEvent* event) {
  const bool open = completer_->popup()->isVisible();
  if (open && (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter || event->key() == Qt::Key_Escape ||
               event->key() == Qt::Key_Tab)) {
    if (completer_->popup()->currentIndex().isValid() || event->key() == Qt::Key_Escape) {
      event->ignore();  // the list's
      return;
    }
    completer_->popup()->hide();
  }
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  const bool plain = !(event->modifiers() & ~Qt::KeypadModifier);
  if (enter && plain && blockCount() == 1 && text_kind(toPlainText()) == TextKind::sentence) {
    if (!toPlainText().trimmed().isEmpty()) emit run_wanted();
    return;
  }
  const bool asked = event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier;
  if (enter && event->modifiers() == Qt::ShiftModifier)
    insertPlainText("\n");  // a paragraph of its own, as Return makes it elsewhere
  else if (!asked)
    PromptEdit::keyPressEvent(event);
  if (text_kind(toPlainText()) != TextKind::sentence || !textCursor().atBlockEnd()) {
    completer_->popup()->hide();
    return;
  }
  const bool print = !event->text().isEmpty() && event->text().at(0).isPrint();
  if (asked || (open && (print || event->key() == Qt::Key_Backspace)))
    complete(asked);
  else if (print)
    typed_ = true;
}

void SentenceEdit::offer_completions(bool wanted) {
  const bool typed = std::exchange(typed_, false);
  if (!wanted)
    completer_->popup()->hide();
  else if (typed && hasFocus() && textCursor().atBlockEnd())
    complete(false);
}

void SentenceEdit::show_words(const QString& sentence, const std::vector<op::Word>& words) {
  sentence_ = sentence;
  words_.clear();
  const QByteArray bytes = sentence.toUtf8();
  for (const op::Word& word : words) {
    const auto at = [&](std::size_t offset) {
      return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(offset))).size());
    };
    words_.push_back({at(word.span.begin), at(word.span.end), word.meaning, qs(word.reading)});
  }
  mark();
}

void SentenceEdit::mark() {
  QList<QTextEdit::ExtraSelection> marks;
  if (toPlainText() == sentence_) {
    for (const Word& word : words_) {
      if (word.meaning == op::Meaning::filler) continue;
      QTextEdit::ExtraSelection mark;
      mark.cursor = QTextCursor(document());
      mark.cursor.setPosition(word.begin);
      mark.cursor.setPosition(word.end, QTextCursor::KeepAnchor);
      const QColor color = Theme::instance().color(meaning_token(word.meaning));
      mark.format.setForeground(color);
      mark.format.setUnderlineColor(color);  // not only by colour
      mark.format.setUnderlineStyle(word.meaning == op::Meaning::unknown ? QTextCharFormat::WaveUnderline
                                                                         : QTextCharFormat::SingleUnderline);
      marks.append(mark);
    }
  }
  setExtraSelections(marks);
}

bool SentenceEdit::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && toPlainText() == sentence_) {
    auto* help = static_cast<QHelpEvent*>(event);
    const int at = cursorForPosition(viewport()->mapFromParent(help->pos())).position();
    for (const Word& word : words_) {
      if (at >= word.begin && at <= word.end) {
        QToolTip::showText(help->globalPos(),
                           meaning_title(word.meaning) + (word.reading.isEmpty() ? QString() : ": " + word.reading),
                           this);
        return true;
      }
    }
    QToolTip::hideText();
    return true;
  }
  return PromptEdit::event(event);
}

}  // namespace ww::widgets
