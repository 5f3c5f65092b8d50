// SPDX-License-Identifier: Apache-2.0
// Of Qt's core what tests include; QtTest itself differs from program to program (it knows the folder of each).
#pragma once
#include <QByteArray>
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QObject>
#include <QSize>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <QVariant>
