// SPDX-License-Identifier: GPL-3.0-or-later
// How a sentence was understood: each word with its reading, what is unclear, the nearest ops; examples while there is
// no sentence.
#pragma once
#include <QWidget>
#include <functional>
#include <vector>
#include "session/reader.h"
#include "session/text_kind.h"

class QGridLayout;
class QVBoxLayout;

namespace ww::widgets {

class Label;

class ReadingView : public QWidget {
  Q_OBJECT
 public:
  explicit ReadingView(QWidget* parent = nullptr);
  void show_examples(const std::vector<OpSummary>& ops);
  void show_reading(const SentenceReading& reading);
  void show_note(const QString& text, const char* role);  // in place of a reading
  void add_note(const QString& text, const char* role);
  // Code instead of a sentence; `ops`: those of the library that it may be.
  void show_code(TextKind kind, const QStringList& ops);
  // A model is at work on the words, and what came of it.
  void show_asking(const QString& model);
  void show_formulated(const Formulated& made, bool taken);
  QStringList lines() const { return lines_; }  // what is shown, as text

 signals:
  void changed();
  void example_chosen(const QString& sentence);
  void op_chosen(const QString& name);
  void candidate_wanted();  // to judge the text as a candidate
  void plan_wanted();       // to write the launch plan of a bare kernel
  void model_wanted();      // to make a spec of the sentence
  void stop_wanted();
  void exchange_wanted(std::int64_t exchange);

 private:
  void clear();
  void finish();
  void add_button(const char* name, const QString& text, const QString& tip, std::function<void()> pressed);
  void note(const QString& text, const char* role, const QString& icon = {});
  void op_links(const QString& caption, const QStringList& names);
  QVBoxLayout* layout_;
  QStringList lines_;
};

}  // namespace ww::widgets
