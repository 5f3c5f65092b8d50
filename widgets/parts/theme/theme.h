// SPDX-License-Identifier: GPL-3.0-or-later
// Colours, style sheet and icons of the window, from one token file per theme. GUI thread only.
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
  // "light", "dark", "high-contrast", or "system": dark when the desktop's palette is dark.
  static QStringList ids();
  static QString title(const QString& id);
  // Reads the tokens and styles the application. False, with the old theme kept, if the token file is not usable.
  bool apply(const QString& id);
  QString chosen() const { return chosen_; }    // may be "system"
  QString current() const { return current_; }  // never "system"
  bool dark() const { return dark_; }
  QColor color(const QString& token) const;  // an unknown token is a defect: magenta
  QIcon icon(const QString& name, const QString& token = QStringLiteral("text")) const;
  QPixmap pixmap(const QString& name, const QString& token, int size, qreal ratio) const;

 public slots:
  void refresh() { emit changed(); }  // sizes have changed: all widgets restyle

 signals:
  void changed();

 private:
  Theme();
  QString sheet() const;
  QString icon_file(const QString& name, const QString& token) const;
  QString chosen_, current_;
  bool dark_ = false, frames_ = false;  // frames: edges besides tones
  bool system_dark_ = false;
  QHash<QString, QColor> colors_;
  mutable QHash<QString, QIcon> icons_;
  std::unique_ptr<QTemporaryDir> files_;  // icons that the style sheet names
};

}  // namespace ww::widgets
