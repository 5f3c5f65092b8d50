// SPDX-License-Identifier: GPL-3.0-or-later
// Headers that most panels include, precompiled.
#pragma once
#include <QAbstractItemModel>
#include <QBoxLayout>
#include <QComboBox>
#include <QMainWindow>
#include <QPainter>
#include <QSettings>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QWidget>
