// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/theme.h"
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPainter>
#include <QPalette>
#include <QPixmap>
#include <QPointer>
#include <QRegularExpression>
#include <QStyle>
#include <QTemporaryDir>
#include <QToolTip>
#include <utility>
#include "parts/theme/focus_ring.h"
#include "parts/theme/own_style.h"
#include "parts/theme/themed_icon.h"

namespace ww::widgets {

Theme& Theme::instance() {
  static QPointer<Theme> theme;
  if (!theme) {
    theme = new Theme;
    theme->setParent(qApp);  // pixmaps must not outlive the application
  }
  return *theme;
}

Theme::Theme() {
  const QPalette palette = QApplication::palette();
  system_dark_ = palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
  new FocusRings(this);
}
Theme::~Theme() = default;

QStringList Theme::ids() { return {"system", "light", "dark", "high-contrast"}; }

QString Theme::title(const QString& id) {
  if (id == "light") return tr("Light");
  if (id == "dark") return tr("Dark");
  if (id == "high-contrast") return tr("High contrast");
  return tr("Follow the system");
}

bool Theme::apply(const QString& id) {
  const QString file = id == "system" ? (system_dark_ ? "dark" : "light") : id;
  QFile tokens(":/themes/" + file + ".json");
  if (!tokens.open(QIODevice::ReadOnly)) return false;
  const QJsonObject root = QJsonDocument::fromJson(tokens.readAll()).object();
  const QJsonObject colors = root["colors"].toObject();
  if (colors.isEmpty()) return false;
  colors_.clear();
  for (auto it = colors.begin(); it != colors.end(); ++it) colors_[it.key()] = QColor(it.value().toString());
  chosen_ = id;
  current_ = file;
  dark_ = root["dark"].toBool();
  frames_ = root["frames"].toBool();
  ++generation_;
  files_ = std::make_unique<QTemporaryDir>();

  QPalette p;
  const auto set = [&](QPalette::ColorRole role, const char* token) { p.setColor(role, color(token)); };
  set(QPalette::Window, "window");
  set(QPalette::WindowText, "text");
  set(QPalette::Base, "base");
  set(QPalette::AlternateBase, "alternate");
  set(QPalette::Text, "text");
  set(QPalette::Button, "raised");
  set(QPalette::ButtonText, "text");
  set(QPalette::BrightText, "rejected");
  set(QPalette::Highlight, "selection");
  set(QPalette::HighlightedText, "selection-text");
  set(QPalette::ToolTipBase, "raised");
  set(QPalette::ToolTipText, "text");
  set(QPalette::PlaceholderText, "muted");
  set(QPalette::Link, "accent");
  set(QPalette::LinkVisited, "accent");
  set(QPalette::Light, "hover");
  set(QPalette::Midlight, "border");
  set(QPalette::Mid, "border");
  set(QPalette::Dark, "border-strong");
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    p.setColor(QPalette::Disabled, role, color("disabled"));
  if (!std::exchange(styled_, true)) QApplication::setStyle(new OwnStyle);
  const QString text = sheet();
  qApp->setStyleSheet({});
  QApplication::setPalette(p);
  QToolTip::setPalette(p);
  set_sheet(text);
  emit changed();
  return true;
}

void Theme::restyle() {
  qApp->setStyleSheet({});
  set_sheet(sheet_);
  emit changed();
}

void Theme::set_sheet(const QString& sheet) {
  sheet_ = sheet;
  if (held_ == 0) qApp->setStyleSheet(sheet_);
}

StyledOnce::StyledOnce() {
  if (Theme::instance().held_++ == 0) qApp->setStyleSheet({});
}

StyledOnce::~StyledOnce() {
  Theme& theme = Theme::instance();
  if (--theme.held_ == 0) theme.set_sheet(theme.sheet_);
}

QColor Theme::color(const QString& token) const { return colors_.value(token, QColor(Qt::magenta)); }

QString Theme::sheet() const {
  QFile file(":/themes/window.qss");
  if (!file.open(QIODevice::ReadOnly)) return {};
  QString text = QString::fromUtf8(file.readAll());
  static const QRegularExpression icon_reference("@icon:([a-z-]+):([a-z-]+)@");
  for (auto m = icon_reference.match(text); m.hasMatch(); m = icon_reference.match(text))
    text.replace(m.capturedStart(), m.capturedLength(), icon_file(m.captured(1), m.captured(2)));
  static const QRegularExpression frame("@frame:([a-z-]+)@");
  text.replace(frame, frames_ ? QStringLiteral("@border@") : QStringLiteral("@\\1@"));
  static const QRegularExpression token("@([a-z-]+)@");
  for (auto m = token.match(text); m.hasMatch(); m = token.match(text)) {
    const QString name = m.captured(1) == "name" ? QStringLiteral("text") : m.captured(1);
    text.replace(m.capturedStart(), m.capturedLength(), color(name).name());
  }
  return text;
}

QString Theme::icon_file(const QString& name, const QString& token) const {
  const QString base = files_->path() + "/" + name + "-" + token;
  pixmap(name, token, 24, 1).save(base + ".png");
  pixmap(name, token, 24, 2).save(base + "@2x.png");
  return base + ".png";
}

QPixmap Theme::pixmap(const QString& name, const QString& token, int size, qreal ratio) const {
  QFile file(":/icons/" + name + ".svg");
  const int pixels = qRound(size * ratio);
  QPixmap empty(pixels, pixels);
  empty.fill(Qt::transparent);
  if (!file.open(QIODevice::ReadOnly)) return empty;
  QByteArray svg = file.readAll();
  svg.replace("currentColor", color(token).name().toUtf8());
  svg.replace("width=\"24\" height=\"24\"", QString("width=\"%1\" height=\"%1\"").arg(pixels).toUtf8());
  const QImage image =
      QImage::fromData(svg, "svg");  // needs Qt's SVG plugin; without it a control shows its text alone
  if (image.isNull()) return empty;
  QPixmap result = QPixmap::fromImage(image.scaled(pixels, pixels, Qt::KeepAspectRatio, Qt::SmoothTransformation));
  result.setDevicePixelRatio(ratio);
  return result;
}

QIcon Theme::icon(const QString& name, const QString& token) const {
  constexpr int most = 20;
  QIcon& icon = icons_[name + "/" + token];
  if (icon.isNull()) icon = themed_icon(name, token, most);
  return icon;
}

}  // namespace ww::widgets
