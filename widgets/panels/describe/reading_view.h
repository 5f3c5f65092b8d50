// SPDX-License-Identifier: GPL-3.0-or-later
// How a sentence was understood: each word with its interpretation, what is unclear, the nearest ops; examples if there
// is no sentence.
#pragma once
#include <QPointer>
#include <QWidget>
#include <functional>
#include <vector>
#include "session/reader.h"
#include "session/text_kind.h"

class QGridLayout;
class QPushButton;
class QVBoxLayout;

namespace ww::widgets {

class Label;

class ReadingView : public QWidget {
  Q_OBJECT
 public:
  // Of the words: one row each with its interpretation, or in running order below a line that already says what is
  // unclear first.
  enum class Arrangement { column, flow };
  explicit ReadingView(QWidget* parent = nullptr, Arrangement arrangement = Arrangement::column);
  void follow(ReadingView* other);  // mirrors that view, from its next change on; choices made here are passed to it
  void show_examples(const std::vector<OpSummary>& ops);
  void show_reading(const SentenceReading& reading);
  void show_note(const QString& text, const char* role);  // instead of an interpretation
  void add_note(const QString& text, const char* role);
  // Code instead of a sentence; `ops`: the library ops that it may be.
  // For PyTorch: the command that imports it in a terminal, and the modules among which the user chooses; empty: one.
  void show_code(TextKind kind, const QStringList& ops, const QString& command = {}, const QStringList& modules = {});
  // A model or an import is at work, as the text says; its result.
  void show_asking(const QString& text);
  void show_formulated(const Formulated& made, bool taken);
  // Why no model can be asked; empty: one can. Its button then leads to the settings.
  void set_no_model(const QString& why);
  QStringList lines() const { return lines_; }  // its text, folded parts included

 signals:
  void changed();
  void example_chosen(const QString& sentence);
  void op_chosen(const QString& name);
  void candidate_wanted();                    // judge the text as a candidate
  void plan_wanted();                         // write the launch plan of a bare kernel
  void import_wanted(const QString& module);  // import the PyTorch text; empty: its only module
  void settings_wanted();                     // set up a model
  void no_model_changed(const QString& why);
  void model_wanted();  // let a model write a spec for the sentence
  void stop_wanted();
  void exchange_wanted(std::int64_t exchange);

 private:
  using Shown = std::function<void(ReadingView&)>;
  void begin(Shown shown);
  void finish();
  void show_words(const std::vector<op::Word>& words);
  void show_pytorch(const QStringList& ops, const QString& command, const QStringList& modules);
  void add_ask_button();
  void show_ask_button();
  void add_command(const QString& command);
  void add_button(const char* name, const QString& text, const QString& tip, std::function<void()> pressed);
  QWidget* note(const QString& text, const char* role, const QString& icon = {});
  void show_prose(const SentenceReading& reading);
  void op_links(const QString& caption, const QStringList& names);
  QVBoxLayout* layout_;
  Arrangement arrangement_;
  QStringList lines_;
  bool prose_shown_ = false;
  QString no_model_;
  QPointer<QPushButton> ask_;
  std::vector<Shown> shown_;  // views that mirror this one
};

}  // namespace ww::widgets
