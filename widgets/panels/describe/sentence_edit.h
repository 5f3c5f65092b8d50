// SPDX-License-Identifier: GPL-3.0-or-later
// The box for a sentence, op spec text or a dropped file. Understood words are coloured by their meaning.
#pragma once
#include <vector>
#include "op/sentence/phrasebook.h"
#include "parts/editor/prompt_edit.h"
#include "session/language.h"

class QCompleter;

namespace ww::widgets {

QString meaning_token(op::Meaning meaning);  // colour token
QString meaning_title(op::Meaning meaning);

class SentenceEdit : public PromptEdit {
  Q_OBJECT
 public:
  explicit SentenceEdit(QWidget* parent = nullptr);
  // Spans are byte offsets in the UTF-8 of `sentence`; ignored if the text has changed since.
  void set_phrases(const std::vector<OpSummary>& ops);  // for completion
  QCompleter* completer() const { return completer_; }
  // The text was read: phrases are offered only while it is not understood, so that they cover no explanation.
  void offer_completions(bool wanted);
  void show_words(const QString& sentence, const std::vector<op::Word>& words);
  QSize sizeHint() const override { return {280, 64}; }
  QSize minimumSizeHint() const override { return {160, 52}; }

 signals:
  void file_dropped(const QString& path);
  void run_wanted();  // Return on a one-line sentence

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;  // tooltips of words

 private:
  void mark();
  void complete(bool asked);
  void take_completion(const QString& phrase);
  QCompleter* completer_;
  QString completed_;   // the prefix that the list completes
  bool typed_ = false;  // since phrases were offered
  struct Word {
    int begin, end;
    op::Meaning meaning;
    QString reading;
  };
  QString sentence_;
  std::vector<Word> words_;
};

}  // namespace ww::widgets
