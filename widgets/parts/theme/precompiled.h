// SPDX-License-Identifier: GPL-3.0-or-later
// What most panels include, compiled once for all of them.
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
