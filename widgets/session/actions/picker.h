// SPDX-License-Identifier: GPL-3.0-or-later
// A box to type in over a list of what fits; Return takes the first or the chosen one. The palette and quick open are
// pickers.
#pragma once
#include <QDialog>
#include <QList>
#include <functional>

class QLineEdit;
class QListWidget;

namespace ww::widgets {

class Label;

struct Pick {
  QString text, detail, tip;  // detail: a key, or what kind of thing it is
  std::function<void()> take;
  bool enabled = true;
  QString id = {};
};

// How well `typed` fits `text`: its letters in order, better at beginnings of words; 0 when it does not fit.
int fuzzy_score(const QString& typed, const QString& text);

class Picker : public QDialog {
  Q_OBJECT
 public:
  static constexpr int most_shown = 200;
  using Source = std::function<QList<Pick>(const QString& typed)>;  // best first
  Picker(const char* object, const QString& title, const QString& placeholder, Source source, QWidget* parent);
  void refresh();  // the source has more to give
  bool eventFilter(QObject* object, QEvent* event) override;

 private:
  void take_current();
  Source source_;
  QList<Pick> picks_;
  QLineEdit* input_;
  QListWidget* list_;
  Label* nothing_;
};

}  // namespace ww::widgets
