// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/start/start_prompt.h"
#include <QKeyEvent>
#include <QMimeData>
#include <QResizeEvent>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

StartPrompt::StartPrompt(QWidget* parent) : PromptEdit(parent) {
  setTabChangesFocus(true);
  setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  setPlaceholderText(tr("softmax over the rows of a 512x1024 float matrix"));
  name_it(this, tr("Which operation?"), tr("A sentence, a formula, PyTorch code, an op spec or a CUDA kernel"));
  new DropTarget(viewport(), {.takes = [](const QMimeData& data) { return data.hasUrls(); },
                              .drop =
                                  [this](const QMimeData& data, const QPointF&) {
                                    for (const QString& file : DropTarget::local_files(data)) emit file_dropped(file);
                                    return true;
                                  }});
  restyle();
  connect(&Theme::instance(), &Theme::changed, this, &StartPrompt::restyle);
  connect(this, &QPlainTextEdit::textChanged, this, &QWidget::updateGeometry);
}

void StartPrompt::restyle() {
  document()->setDocumentMargin(10);
  updateGeometry();
}

// One line for a sentence; code gets up to eight.
QSize StartPrompt::sizeHint() const {
  const int lines = std::clamp(document()->blockCount(), 1, 8);
  const int wrapped =
      lines == 1 && fontMetrics().horizontalAdvance(toPlainText()) > viewport()->width() - 24 ? 2 : lines;
  return {480, height_of(wrapped)};
}

// How many lines the text takes depends on the width.
void StartPrompt::resizeEvent(QResizeEvent* event) {
  PromptEdit::resizeEvent(event);
  if (event->size().width() != event->oldSize().width()) updateGeometry();
}

int StartPrompt::height_of(int lines) const { return lines * fontMetrics().lineSpacing() + 24; }

void StartPrompt::keyPressEvent(QKeyEvent* event) {
  const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
  if (enter && !(event->modifiers() & Qt::ShiftModifier)) {
    emit accepted();
    return;
  }
  if (event->key() == Qt::Key_Escape) {
    event->ignore();  // the page's
    return;
  }
  PromptEdit::keyPressEvent(event);
}

}  // namespace ww::widgets
