// SPDX-License-Identifier: GPL-3.0-or-later
// A QScintilla editor in the theme's colours: line numbers, squiggles, marked lines, search, and texts of any length
// loaded in slices.
#pragma once
#include <Qsci/qsciscintilla.h>
#include <QString>
#include <functional>
#include <vector>
#include "base/source.h"
#include "compile/log.h"
#include "parts/editor/searchable.h"

class QTimer;

namespace ww::widgets {

enum class CodeLanguage { plain, cuda, ptx, op };

class CodeEditor : public QsciScintilla, public Searchable {
  Q_OBJECT
 public:
  CodeEditor(CodeLanguage language, bool read_only, QWidget* parent = nullptr);
  CodeLanguage language() const { return language_; }

  // Replaces the text. Long texts are loaded in slices between other events; text_complete() always follows.
  void set_code(const QString& code);
  // Replaces the text as one undoable step.
  void replace_code(const QString& code);
  bool complete() const { return rest_at_ >= rest_.size(); }

  // Underlined until replaced, also while the text around them is edited; a tooltip shows the message.
  void show_diagnostics(const std::vector<Diagnostic>& diagnostics);
  void show_messages(const std::vector<compile::LogMessage>& messages);  // the same, with markers in the margin
  QString message_at(const QPoint& point) const;  // in the viewport: of an underlined word, or of a marker's line
  void mark_fault(int line);                      // from 1; 0: none
  void go_to(int line, int column = 1);           // from 1
  void show_from_code();                          // from the first line that is neither blank nor a comment
  void show_from(int line);                       // scrolls it to the top
  struct TextPlace {                              // from 0
    int line = 0, column = 0, top = 0;            // of the caret; the first visible line
  };
  TextPlace place() const;
  void set_place(const TextPlace& place);
  void show_line(int line);  // scrolls to it if it is not visible; the caret does not move
  // Numbers or words beside the lines: (line from 1, text, share 0..1 for the shade). Empty: no margin.
  struct LineNote {
    int line;
    QString text;
    double share;  // 0 to 1, for the shade
  };
  void set_line_notes(const std::vector<LineNote>& notes);
  bool find(const SearchText& what, bool forward, bool from_start) override;  // editor_search.cpp
  int mark_all(const SearchText& what) override;
  bool takes_expressions() const override { return true; }
  bool replaces() const override { return !isReadOnly(); }
  void replace(const SearchText& what, const QString& with) override;
  int replace_all(const SearchText& what, const QString& with) override;
  QString picked() const override { return selectedText().contains('\n') ? QString() : selectedText(); }
  QWidget* widget() override { return this; }
  void set_line_numbers(bool on);
  void set_linked_line(int line);  // from 1; marked as the line also shown by other views. 0: none
  void set_line_tip(std::function<QString(int line)> tip) {
    line_tip_ = std::move(tip);
  }  // of a line's margin; empty: none
  // Marker numbers, for the diff view.
  enum Marker {
    fault_marker = 8,
    added_marker,
    removed_marker,
    filler_marker,
    fault_sign,
    linked_marker,
    linked_sign,
    error_sign,
    warning_sign
  };
  enum Mark { error_mark = 9, search_mark, added_word, removed_word, warning_mark, directive_mark };

  void paste() override;

 signals:
  void text_complete();
  void line_hovered(int line);  // from 1; 0: none
  void line_clicked(int line);  // without a selection

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  // Filters pasted and dropped data; text that would block the window is refused with a tooltip.
  QByteArray fromMimeData(const QMimeData* source, bool& rectangular) const override;

 private:
  bool takes(const QMimeData& source) const;  // else a tooltip gives the reason
  void restyle();
  void mark_directives(int first, int last);  // lines from 0
  void show_invisible_characters();
  void next_slice();
  void size_number_margin();
  CodeLanguage language_;
  bool numbers_ = true;
  QByteArray rest_;
  qsizetype rest_at_ = 0;
  QTimer* slicer_;
  static constexpr int sign_margin = 2;
  int line_at(const QPoint& point) const;  // 0: none
  std::vector<LineNote> notes_;
  void underline(const std::vector<compile::LogMessage>& messages);
  void style_messages();
  void size_sign_margin();
  QString message_text(long begin, long end) const;
  std::vector<compile::LogMessage> messages_;
  bool fault_ = false;  // one is marked
  std::function<QString(int)> line_tip_;
  int hovered_ = 0;
};

}  // namespace ww::widgets
