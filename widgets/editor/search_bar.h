// SPDX-License-Identifier: GPL-3.0-or-later
// Find in the editor above it: Return next, Shift+Return previous, Escape closes.
#pragma once
#include <QFrame>
#include <functional>

class QLabel;
class QLineEdit;

namespace ww::widgets {

class CodeEditor;

class SearchBar : public QFrame {
  Q_OBJECT
 public:
  explicit SearchBar(std::function<CodeEditor*()> editor, QWidget* parent = nullptr);
  void open();
  void refresh();  // after the text has changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void step(bool forward, bool from_start);
  std::function<CodeEditor*()> editor_;
  QLineEdit* input_;
  QLabel* count_;
};

}  // namespace ww::widgets
