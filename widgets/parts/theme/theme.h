// SPDX-License-Identifier: GPL-3.0-or-later
// The window's colours, style sheet and icons, from one token file per theme. GUI thread only.
#pragma once
#include <QColor>
#include <QHash>
#include <QIcon>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

class QApplication;
class QTemporaryDir;

namespace ww::widgets {

class Theme : public QObject {
  Q_OBJECT
 public:
  static Theme& instance();
  ~Theme() override;
  // "light", "dark", "high-contrast", or "system": dark if the desktop's palette is dark.
  static QStringList ids();
  static QString title(const QString& id);
  // Reads the tokens and styles the application. False, keeping the old theme, if the token file is invalid.
  bool apply(const QString& id);
  QString chosen() const { return chosen_; }    // may be "system"
  QString current() const { return current_; }  // never "system"
  bool dark() const { return dark_; }
  int generation() const { return generation_; }  // how many themes were applied
  QColor color(const QString& token) const;       // magenta for an unknown token, which is a defect
  QIcon icon(const QString& name, const QString& token = QStringLiteral("text")) const;  // follows the theme
  QPixmap pixmap(const QString& name, const QString& token, int size, qreal ratio) const;

 public slots:
  // The application's font has changed: updates all widgets, including styled ones. Like apply(), it removes the style
  // sheet first: Qt restyles a widget once per ancestor if one sheet replaces another, but only once if there was none.
  void restyle();

 signals:
  void changed();

 private:
  friend class StyledOnce;
  Theme();
  void set_sheet(const QString& sheet);
  QString sheet() const;
  QString icon_file(const QString& name, const QString& token) const;
  QString chosen_, current_;
  bool dark_ = false, frames_ = false;  // frames: borders in addition to tones
  bool system_dark_ = false;
  bool styled_ = false;  // OwnStyle is set
  int held_ = 0;         // the sheet waits in sheet_
  int generation_ = 0;
  QString sheet_;
  QHash<QString, QColor> colors_;
  mutable QHash<QString, QIcon> icons_;
  std::unique_ptr<QTemporaryDir> files_;  // icons used by the style sheet
};

// While one lives the application has no style sheet: what is built meanwhile is styled once, at its end, rather than
// each time that a part gets another parent.
class StyledOnce {
 public:
  StyledOnce();
  ~StyledOnce();
  StyledOnce(const StyledOnce&) = delete;
  StyledOnce& operator=(const StyledOnce&) = delete;
};

}  // namespace ww::widgets
