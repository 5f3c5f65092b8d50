// SPDX-License-Identifier: GPL-3.0-or-later
#include "describe/sentence_edit.h"
#include <QHelpEvent>
#include <QMimeData>
#include <QToolTip>
#include <QUrl>
#include "theme/text.h"
#include "theme/theme.h"

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

SentenceEdit::SentenceEdit(QWidget* parent) : QPlainTextEdit(parent) {
  setTabChangesFocus(true);
  setAcceptDrops(true);
  setPlaceholderText(tr("A sentence, an op spec, or drop a .op or .cu file"));
  connect(&Theme::instance(), &Theme::changed, this, &SentenceEdit::mark);
  connect(this, &QPlainTextEdit::textChanged, this, &SentenceEdit::mark);
}

void SentenceEdit::show_words(const QString& sentence, const std::vector<op::Word>& words) {
  sentence_ = sentence;
  words_.clear();
  const QByteArray bytes = sentence.toUtf8();
  for (const op::Word& word : words) {
    const auto at = [&](std::size_t offset) { return static_cast<int>(QString::fromUtf8(bytes.left(static_cast<qsizetype>(offset))).size()); };
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
      mark.format.setUnderlineColor(color);  // not by colour alone
      mark.format.setUnderlineStyle(word.meaning == op::Meaning::unknown ? QTextCharFormat::WaveUnderline : QTextCharFormat::SingleUnderline);
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
        QToolTip::showText(help->globalPos(), meaning_title(word.meaning) + (word.reading.isEmpty() ? QString() : ": " + word.reading), this);
        return true;
      }
    }
    QToolTip::hideText();
    return true;
  }
  return QPlainTextEdit::event(event);
}

void SentenceEdit::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls())
    event->acceptProposedAction();
  else
    QPlainTextEdit::dragEnterEvent(event);
}

void SentenceEdit::dragMoveEvent(QDragMoveEvent* event) {
  if (event->mimeData()->hasUrls())
    event->acceptProposedAction();
  else
    QPlainTextEdit::dragMoveEvent(event);
}

void SentenceEdit::dropEvent(QDropEvent* event) {
  if (!event->mimeData()->hasUrls()) {
    QPlainTextEdit::dropEvent(event);
    return;
  }
  event->acceptProposedAction();
  for (const QUrl& url : event->mimeData()->urls())
    if (url.isLocalFile()) emit file_dropped(url.toLocalFile());
}

}  // namespace ww::widgets
