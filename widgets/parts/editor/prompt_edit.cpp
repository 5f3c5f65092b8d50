// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/editor/prompt_edit.h"
#include <QMimeData>
#include "parts/theme/text.h"

namespace ww::widgets {

QString too_long_for_prompt(qsizetype size) {
  if (size <= longest_prompt) return {};
  return PromptEdit::tr("The text has %1 characters, but this box accepts at most %2: nothing was inserted.")
      .arg(count_text(static_cast<double>(size)), count_text(longest_prompt));
}

void PromptEdit::insertFromMimeData(const QMimeData* source) {
  const QTextCursor cursor = textCursor();
  const qsizetype kept = document()->characterCount() - 1 - (cursor.selectionEnd() - cursor.selectionStart());
  if (const QString why = too_long_for_prompt(kept + source->text().size()); !why.isEmpty()) {
    emit refused(why);
    return;
  }
  QPlainTextEdit::insertFromMimeData(source);
}

}  // namespace ww::widgets
