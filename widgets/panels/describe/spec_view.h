// SPDX-License-Identifier: GPL-3.0-or-later
// The op spec, editable, with its errors underlined and listed, a drawing of its equations, and a worked numeric
// example.
#pragma once
#include <QWidget>
#include <memory>
#include "parts/editor/searchable.h"
#include "session/reader.h"

class QListWidget;
class QPlainTextEdit;
class QTabWidget;

namespace ww::widgets {

class Label;
class CodeEditor;
class EquationDrawing;
class SearchBar;

class SpecView : public QWidget, public SearchHost {
  Q_OBJECT
 public:
  explicit SpecView(QWidget* parent = nullptr);
  QString text() const;
  void set_text(const QString& text);  // can be undone
  void show_reading(const SpecReading& reading);
  void show_example(const QString& example, const QString& error);
  void open_search() override;
  CodeEditor* editor() const { return editor_; }
  EquationDrawing* drawing() const { return drawing_; }
  QStringList errors() const;
  QSize sizeHint() const override { return {QWidget::sizeHint().width(), minimumSizeHint().height()}; }

 signals:
  void edited();  // by the user or by set_text

 private:
  void fit();
  QTabWidget* tabs_;
  CodeEditor* editor_;
  EquationDrawing* drawing_;
  QListWidget* errors_;
  QPlainTextEdit* example_;
  SearchBar* search_;
};

}  // namespace ww::widgets
