// SPDX-License-Identifier: Apache-2.0
// What tests include of Qt: all of its core comes with QtTest. QTRY_… wait for up to a minute instead of 5 s: machines
// are busy, and only a test that fails waits so long.
#pragma once
#include <QtTest>
#undef QTRY_VERIFY
#undef QTRY_VERIFY2
#undef QTRY_COMPARE
#define QTRY_VERIFY(expr) QTRY_VERIFY_WITH_TIMEOUT(expr, 60000)
#define QTRY_VERIFY2(expr, message) QTRY_VERIFY2_WITH_TIMEOUT(expr, message, 60000)
#define QTRY_COMPARE(expr, expected) QTRY_COMPARE_WITH_TIMEOUT(expr, expected, 60000)
