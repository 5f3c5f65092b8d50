// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/own_style.h"
#include <QCheckBox>
#include <QPushButton>
#include <QRadioButton>
#include <QTabBar>
#include <QToolButton>
#include <algorithm>
#include <utility>
#include "parts/theme/themed_icon.h"

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

}  // namespace

OwnStyle::OwnStyle() : QProxyStyle(QStringLiteral("Fusion")) {}

QIcon OwnStyle::standardIcon(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  if (const OwnIcon* own = own_icon(which)) return themed_icon(own->name, own->token, 0);
  return QProxyStyle::standardIcon(which, option, widget);
}

QPixmap OwnStyle::standardPixmap(StandardPixmap which, const QStyleOption* option, const QWidget* widget) const {
  if (own_icon(which)) return standardIcon(which, option, widget).pixmap(16);
  return QProxyStyle::standardPixmap(which, option, widget);
}

// Tabs and buttons show the focus by the ring or by the style sheet's edge, once.
void OwnStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                             const QWidget* widget) const {
  const bool has_own = qobject_cast<const QTabBar*>(widget) || qobject_cast<const QPushButton*>(widget) ||
                       qobject_cast<const QToolButton*>(widget) || qobject_cast<const QCheckBox*>(widget) ||
                       qobject_cast<const QRadioButton*>(widget);
  if (element == PE_FrameFocusRect && has_own) return;
  QProxyStyle::drawPrimitive(element, option, painter, widget);
}

int OwnStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                        QStyleHintReturn* returned) const {
  if (hint == SH_DialogButtonBox_ButtonsHaveIcons) return 0;
  return QProxyStyle::styleHint(hint, option, widget, returned);
}

}  // namespace ww::widgets
