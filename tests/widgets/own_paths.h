// SPDX-License-Identifier: GPL-3.0-or-later
// main() of a test whose settings and data are not those of the person who runs it.
#pragma once
#include <QStandardPaths>
#include <QtTest>

#define WW_TEST_WITH_OWN_PATHS(Test, Application) \
  int main(int argc, char** argv) {               \
    QStandardPaths::setTestModeEnabled(true);     \
    Application app(argc, argv);                  \
    Test test;                                    \
    QTEST_SET_MAIN_SOURCE_PATH                    \
    return QTest::qExec(&test, argc, argv);       \
  }
