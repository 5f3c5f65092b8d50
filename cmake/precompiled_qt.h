// SPDX-License-Identifier: Apache-2.0
// What tests include of Qt: all of its core comes with QtTest.
#pragma once
#include <QtTest>
