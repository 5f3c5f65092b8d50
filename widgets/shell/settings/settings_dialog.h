// SPDX-License-Identifier: GPL-3.0-or-later
// All settings in one dialog: a list of pages, and a search over the words of all of them.
#pragma once
#include <QDialog>
#include <QList>
#include <functional>

class QLineEdit;
class QListWidget;
class QStackedWidget;

namespace ww::widgets {

class Label;

class SettingsDialog : public QDialog {
  Q_OBJECT
 public:
  explicit SettingsDialog(QWidget* parent);
  // The page is created when first shown; until then the search uses these words.
  void add_page(const QString& id, const QString& title, std::function<QWidget*()> make, const QString& words);
  void show_page(const QString& id);
  QString page() const;

 private:
  struct Page {
    QString id, title, words;
    std::function<QWidget*()> make;
    QWidget* widget = nullptr;
  };
  void search(const QString& typed);
  void mark(const Page& page, const QStringList& wanted);
  void turn_to(int row);
  static QStringList words_of(const QWidget* page);
  QList<Page> pages_list_;
  QLineEdit* words_;
  QListWidget* list_;
  QStackedWidget* stack_;
  Label* nothing_;
};

}  // namespace ww::widgets
