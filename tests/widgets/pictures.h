// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QDir>
#include <QtTest>
#include <QWidget>

namespace ww::test {

inline void save_picture(QWidget& widget, const QString& name) {  // to <build>/screenshots
  QDir().mkpath(WW_BINARY_DIR "/screenshots");
  QTest::qWait(250);  // plots and delayed layouts
  QVERIFY(widget.grab().save(WW_BINARY_DIR "/screenshots/" + name + ".png"));
}

}  // namespace ww::test
