// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/lessons/figure_view.h"
#include <QEvent>
#include <QScrollBar>
#include <QTextBlock>
#include <QWheelEvent>
#include <cmath>
#include "base/lines.h"
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "parts/theme/type.h"

namespace ww::widgets {

std::vector<Passage> passages_of(const std::string& markdown) {
  std::vector<Passage> out;
  Passage open;
  const auto close = [&](bool next_is_figure) {
    if (!open.text.trimmed().isEmpty()) out.push_back(std::move(open));
    open = {next_is_figure, {}};
  };
  for (const std::string_view line : split_lines(markdown)) {
    if (line.starts_with("```"))
      close(!open.figure);
    else
      open.text += (open.text.isEmpty() ? "" : "\n") + qs(std::string(line));
  }
  close(false);
  return out;
}

QString without_code_marks(const std::string& markdown) { return qs(markdown).remove('`'); }

FigureView::FigureView(const QString& text, QWidget* parent) : QPlainTextEdit(parent) {
  setReadOnly(true);
  setProperty("role", "figure");
  setLineWrapMode(NoWrap);
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setTabChangesFocus(true);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  name_it(this, tr("A figure of the lesson"));
  setPlainText(harmless(text));
  horizontalScrollBar()->installEventFilter(this);
  connect(horizontalScrollBar(), &QScrollBar::rangeChanged, this, &FigureView::fit);
  fit();
}

void FigureView::fit() {
  setFont(painted_code_font());
  double lines = 0;
  for (QTextBlock block = document()->begin(); block.isValid(); block = block.next())
    lines += blockBoundingRect(block).height();
  const int margins = 2 * (static_cast<int>(document()->documentMargin()) + frameWidth() + 1);
  const int bar = horizontalScrollBar()->maximum() > 0 ? horizontalScrollBar()->sizeHint().height() : 0;
  setFixedHeight(static_cast<int>(std::ceil(lines)) + margins + bar);
}

void FigureView::wheelEvent(QWheelEvent* event) {
  if (event->angleDelta().x() != 0) return QPlainTextEdit::wheelEvent(event);
  event->ignore();
}

// The page scrolls also when its bar comes under the pointer.
bool FigureView::eventFilter(QObject* object, QEvent* event) {
  if (object != horizontalScrollBar() || event->type() != QEvent::Wheel)
    return QPlainTextEdit::eventFilter(object, event);
  if (static_cast<QWheelEvent*>(event)->angleDelta().x() != 0) return false;
  event->ignore();
  return true;
}

void FigureView::changeEvent(QEvent* event) {
  QPlainTextEdit::changeEvent(event);
  if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) fit();
}

}  // namespace ww::widgets
