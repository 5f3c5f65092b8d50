// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a lesson's text: code and drawings of letters, which are not wrapped but scrolled sideways.
#pragma once
#include <QPlainTextEdit>
#include <string>
#include <vector>

namespace ww::widgets {

struct Passage {
  bool figure = false;  // a fenced block, without its fence
  QString text;         // else Markdown
};
std::vector<Passage> passages_of(const std::string& markdown);
QString without_code_marks(const std::string& markdown);  // for a label, which has one font: no backticks

class FigureView : public QPlainTextEdit {
  Q_OBJECT
 public:
  FigureView(const QString& text, QWidget* parent);

 protected:
  bool eventFilter(QObject* object, QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;  // the page scrolls
  void changeEvent(QEvent* event) override;

 private:
  void fit();
};

}  // namespace ww::widgets
