// SPDX-License-Identifier: GPL-3.0-or-later
// Find in the editor, listing or comparison above it: Return next, Shift+Return previous, Escape closes. In an editor
// that can be written to, replace, too.
#pragma once
#include <QFrame>
#include <functional>
#include "parts/editor/searchable.h"

class QBoxLayout;
class QLineEdit;
class QToolButton;

namespace ww::widgets {

class Label;

class SearchBar : public QFrame {
  Q_OBJECT
 public:
  explicit SearchBar(std::function<Searchable*()> text, QWidget* parent = nullptr);
  void open();
  void refresh();          // after the text has changed
  void refresh_if_open();  // the same; a closed one marks nothing

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void make_replacing(QWidget* row);
  void fit();  // to what is searched
  void step(bool forward, bool from_start);
  void replace(bool all);
  void end();
  SearchText what() const;
  std::function<Searchable*()> text_;
  QLineEdit *input_, *with_;
  QToolButton* expression_;
  QWidget* replacing_;
  QBoxLayout* rows_;
  Label* count_;
};

}  // namespace ww::widgets
