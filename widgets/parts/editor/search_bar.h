// SPDX-License-Identifier: GPL-3.0-or-later
// Find in the editor or listing above it: Return next, Shift+Return previous, Escape closes.
#pragma once
#include <QFrame>
#include <functional>

class QLineEdit;

namespace ww::widgets {

class Label;
class Searchable;

class SearchBar : public QFrame {
  Q_OBJECT
 public:
  explicit SearchBar(std::function<Searchable*()> text, QWidget* parent = nullptr);
  void open();
  void refresh();  // after the text has changed

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void step(bool forward, bool from_start);
  std::function<Searchable*()> text_;
  QLineEdit* input_;
  Label* count_;
};

}  // namespace ww::widgets
