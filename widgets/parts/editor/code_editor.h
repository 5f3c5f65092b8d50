// SPDX-License-Identifier: GPL-3.0-or-later
// A QScintilla editor in the theme's colours: line numbers, squiggles, marked lines, search, and texts of any length
// set in slices.
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

  // Replaces the text. Long texts arrive in slices between other events; text_complete() follows in every case.
  void set_code(const QString& code);
  // Replaces the text as one step that undo takes back.
  void replace_code(const QString& code);
  bool complete() const { return rest_at_ >= rest_.size(); }

  // Underlined until others are shown, wherever the text around them is edited; the pointer on one shows its words.
  void show_diagnostics(const std::vector<Diagnostic>& diagnostics);
  void show_messages(const std::vector<compile::LogMessage>& messages);  // the same, and signs beside their lines
  QString message_at(const QPoint& point) const;  // in the viewport: of an underlined word, or of a sign's line
  void mark_fault(int line);                      // from 1; 0: none
  void go_to(int line, int column = 1);           // from 1
  void show_line(int line);                       // scrolls to it where it is not in sight; the caret stays
  // Numbers beside the lines: (line from 1, text, share 0..1 for the shade). Empty: no margin.
  struct LineNote {
    int line;
    QString text;
    double share;       // 0 to 1, for the shade
    QString hint = {};  // a further word, behind the number
  };
  void set_line_notes(const std::vector<LineNote>& notes);
  bool find(const QString& needle, bool forward, bool from_start) override;
  int mark_all(const QString& needle) override;
  QString picked() const override { return selectedText().contains('\n') ? QString() : selectedText(); }
  QWidget* widget() override { return this; }
  void set_line_numbers(bool on);
  void set_linked_line(int line);  // from 1; marked as the one that other views show, too. 0: none
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
  enum Mark { error_mark = 9, search_mark, added_word, removed_word, warning_mark };

  void paste() override;

 signals:
  void text_complete();
  void line_hovered(int line);  // from 1; 0: none
  void line_clicked(int line);  // without selecting

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  // What is pasted or dropped; what would hold the window up is refused, and a tooltip says so.
  QByteArray fromMimeData(const QMimeData* source, bool& rectangular) const override;

 private:
  bool takes(const QMimeData& source) const;  // else a tooltip says why not
  void restyle();
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
