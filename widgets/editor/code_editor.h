// SPDX-License-Identifier: GPL-3.0-or-later
// A QScintilla editor in the theme's colours: line numbers, squiggles, marked lines, search, and texts of any length set in slices.
#pragma once
#include <Qsci/qsciscintilla.h>
#include <QString>
#include <vector>
#include "base/source.h"
#include "editor/searchable.h"

class QTimer;

namespace ww::widgets {

enum class CodeLanguage { plain, cuda, ptx, op };

class CodeEditor : public QsciScintilla, public Searchable {
  Q_OBJECT
 public:
  CodeEditor(CodeLanguage language, bool read_only, QWidget* parent = nullptr);
  CodeLanguage language() const { return language_; }

  // Replaces the text. Long texts arrive in slices between other events; text_complete() follows in every case.
  void set_code(const QString& code);
  // Replaces the text as one step that undo takes back.
  void replace_code(const QString& code);
  bool complete() const { return rest_at_ >= rest_.size(); }

  void show_diagnostics(const std::vector<Diagnostic>& diagnostics);
  void mark_fault(int line);                              // from 1; 0: none
  void go_to(int line, int column = 1);                   // from 1
  // Numbers beside the lines: (line from 1, text, share 0..1 for the shade). Empty: no margin.
  struct LineNote { int line; QString text; double share; };
  void set_line_notes(const std::vector<LineNote>& notes);
  bool find(const QString& needle, bool forward, bool from_start) override;
  int mark_all(const QString& needle) override;
  QString picked() const override { return selectedText().contains('\n') ? QString() : selectedText(); }
  QWidget* widget() override { return this; }
  void set_line_numbers(bool on);
  // Marker numbers, for the diff view.
  enum Marker { fault_marker = 8, added_marker, removed_marker, filler_marker, fault_sign };
  enum Mark { error_mark = 9, search_mark, added_word, removed_word };

 signals:
  void text_complete();

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void dress();
  void next_slice();
  void size_number_margin();
  CodeLanguage language_;
  bool numbers_ = true;
  QByteArray rest_;
  qsizetype rest_at_ = 0;
  QTimer* slicer_;
  std::vector<LineNote> notes_;
};

}  // namespace ww::widgets
