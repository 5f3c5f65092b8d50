// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/own_style.h"
#include <QIconEngine>
#include <QPainter>
#include <algorithm>
#include <utility>
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

struct OwnIcon {
  QStyle::StandardPixmap which;
  const char *name, *token;
};

constexpr OwnIcon own_icons[] = {
    {QStyle::SP_MessageBoxInformation, "info", "info"},
    {QStyle::SP_MessageBoxWarning, "warning", "warning"},
    {QStyle::SP_MessageBoxCritical, "error", "rejected"},
    {QStyle::SP_MessageBoxQuestion, "question", "info"},
    {QStyle::SP_TitleBarCloseButton, "close", "text"},
    {QStyle::SP_TitleBarNormalButton, "detach", "text"},
    {QStyle::SP_DockWidgetCloseButton, "close", "text"},
    {QStyle::SP_LineEditClearButton, "close", "muted"},
    {QStyle::SP_FileIcon, "file", "text"},
    {QStyle::SP_FileLinkIcon, "file", "text"},
    {QStyle::SP_DirIcon, "open", "text"},
    {QStyle::SP_DirClosedIcon, "open", "text"},
    {QStyle::SP_DirOpenIcon, "open", "text"},
    {QStyle::SP_DirLinkIcon, "open", "text"},
    {QStyle::SP_DirHomeIcon, "home", "text"},
    {QStyle::SP_DesktopIcon, "computer", "text"},
    {QStyle::SP_ComputerIcon, "computer", "text"},
    {QStyle::SP_DriveHDIcon, "drive", "text"},
    {QStyle::SP_DriveFDIcon, "drive", "text"},
    {QStyle::SP_DriveCDIcon, "drive", "text"},
    {QStyle::SP_DriveDVDIcon, "drive", "text"},
    {QStyle::SP_DriveNetIcon, "drive", "text"},
    {QStyle::SP_TrashIcon, "trash", "text"},
    {QStyle::SP_FileDialogBack, "back", "text"},
    {QStyle::SP_ArrowBack, "back", "text"},
    {QStyle::SP_ArrowLeft, "back", "text"},
    {QStyle::SP_ArrowForward, "forward", "text"},
    {QStyle::SP_ArrowRight, "forward", "text"},
    {QStyle::SP_FileDialogToParent, "previous", "text"},
    {QStyle::SP_FileDialogNewFolder, "new-folder", "text"},
    {QStyle::SP_FileDialogListView, "list", "text"},
    {QStyle::SP_FileDialogDetailedView, "details", "text"},
};

const OwnIcon* own_icon(QStyle::StandardPixmap which) {
  const auto at = std::ranges::find(own_icons, which, &OwnIcon::which);
  return at == std::end(own_icons) ? nullptr : at;
}

// Drawn in the colours of the theme at the time, since a dock or dialog asks for its icons once.
class ThemedIcon : public QIconEngine {
 public:
  explicit ThemedIcon(const OwnIcon& icon) : icon_(icon) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    painter->drawPixmap(rect, drawn(rect.size(), mode, painter->device()->devicePixelRatioF()));
  }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override { return drawn(size, mode, 1); }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
    return drawn(size / scale, mode, scale);
  }
  QIconEngine* clone() const override { return new ThemedIcon(icon_); }

 private:
  QPixmap drawn(const QSize& size, QIcon::Mode mode, qreal ratio) const {
    return Theme::instance().pixmap(icon_.name, mode == QIcon::Disabled ? "disabled" : icon_.token,
                                    std::min(size.width(), size.height()), ratio);
  }
  OwnIcon icon_;
};

}  // namespace

OwnStyle::OwnStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

QIcon OwnStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  if (const OwnIcon* own = own_icon(which)) return QIcon(new ThemedIcon(*own));
  return QProxyStyle::standardIcon(which, option, widget);
}

QPixmap OwnStyle::standardPixmap(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  if (own_icon(which)) return standardIcon(which, option, widget).pixmap(16);
  return QProxyStyle::standardPixmap(which, option, widget);
}

int OwnStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                        QStyleHintReturn* returned) const {
  if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
  return QProxyStyle::styleHint(hint, option, widget, returned);
}

}  // namespace ww::widgets
