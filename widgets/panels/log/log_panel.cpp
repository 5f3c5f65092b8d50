// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/log/log_panel.h"
#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QMenu>
#include <QScrollBar>
#include <QTreeView>
#include "parts/theme/page_stack.h"
#include "parts/theme/controls.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/label.h"

namespace ww::widgets {

LogPanel::LogPanel(QWidget* parent) : QWidget(parent), model_(new LogModel(this)) {
  setProperty("role", "panel");
  pages_ = new PageStack(this);
  auto* empty = new EmptyPage("note", tr("Runs, verdicts and warnings are logged here."), this);
  empty->offer(tr("Describe an operation"), [this] { emit describe_wanted(); });
  pages_->addWidget(empty);
  view_ = with_id(new QTreeView(this), "log");
  view_->setModel(model_);
  view_->setRootIsDecorated(false);
  view_->setUniformRowHeights(true);
  view_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  view_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  view_->header()->setStretchLastSection(true);
  view_->setContextMenuPolicy(Qt::CustomContextMenu);
  name_it(view_, tr("Log"));
  pages_->addWidget(view_);
  connect(view_, &QWidget::customContextMenuRequested, this, [this](const QPoint& at) {
    QMenu menu;
    menu.addAction(tr("Copy all"), this, &LogPanel::copy);
    menu.addAction(tr("Clear"), model_, &LogModel::clear);
    menu.exec(view_->viewport()->mapToGlobal(at));
  });
  connect(model_, &QAbstractItemModel::modelReset, this, [this] { pages_->setCurrentIndex(model_->rowCount() > 0); });
  // Follows the newest line while scrolled to the end.
  connect(model_, &QAbstractItemModel::rowsInserted, this, [this] {
    pages_->setCurrentIndex(1);
    QScrollBar* bar = view_->verticalScrollBar();
    if (bar->value() >= bar->maximum() - 2)
      QMetaObject::invokeMethod(view_, &QTreeView::scrollToBottom, Qt::QueuedConnection);
  });
}

void LogPanel::add(store::MessageLevel level, const QString& text) {
  model_->add({{QTime::currentTime(), level, text}});
}

QString LogPanel::as_text() const {
  QString text;
  for (int i = 0; i < model_->rowCount(); ++i)
    text += model_->index(i, 0).data().toString() + "  " + model_->index(i, 1).data(Qt::AccessibleTextRole).toString() +
            "\n";
  return text;
}

void LogPanel::copy() { QGuiApplication::clipboard()->setText(as_text()); }

}  // namespace ww::widgets
