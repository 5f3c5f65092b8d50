// SPDX-License-Identifier: GPL-3.0-or-later
// How a sentence was understood: each word with its reading, what is unclear, the nearest ops; examples while there is no sentence.
#pragma once
#include <QWidget>
#include <vector>
#include "session/reader.h"

class QGridLayout;
class QLabel;
class QVBoxLayout;

namespace ww::widgets {

class ReadingView : public QWidget {
  Q_OBJECT
 public:
  explicit ReadingView(QWidget* parent = nullptr);
  void show_examples(const std::vector<OpSummary>& ops);
  void show_reading(const SentenceReading& reading);
  void show_note(const QString& text, const char* role);  // in place of a reading
  void add_note(const QString& text, const char* role) ;
  QStringList lines() const { return lines_; }            // what is shown, as text

 signals:
  void changed();
  void example_chosen(const QString& sentence);
  void op_chosen(const QString& name);

 private:
  void clear();
  void finish();
  void note(const QString& text, const char* role, const QString& icon = {});
  QVBoxLayout* layout_;
  QStringList lines_;
};

}  // namespace ww::widgets
