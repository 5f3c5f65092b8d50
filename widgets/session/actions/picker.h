// SPDX-License-Identifier: GPL-3.0-or-later
// A text field over a list of matches; Return chooses the first or the selected one. The palette and quick open are
// pickers.
#pragma once
#include <QDialog>
#include <QIcon>
#include <QList>
#include <functional>

class QLineEdit;
class QListWidget;

namespace ww::widgets {

class Label;

struct Pick {
  QString text, detail, tip;  // detail: a key, or the kind of item
  std::function<void()> take;
  bool enabled = true;
  QString id = {};
  QIcon icon = {};
};

// How well `typed` matches `text`: its letters in order, better at beginnings of words; 0: no match.
int fuzzy_score(const QString& typed, const QString& text);

class Picker : public QDialog {
  Q_OBJECT
 public:
  static constexpr int most_shown = 200;
  using Source = std::function<QList<Pick>(const QString& typed)>;  // best first
  Picker(const char* object, const QString& title, const QString& placeholder, Source source, QWidget* parent);
  void refresh();  // the source has more items
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
