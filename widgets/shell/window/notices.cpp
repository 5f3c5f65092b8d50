// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/notices.h"
#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QMainWindow>
#include <QPushButton>
#include <QSystemTrayIcon>
#include <QTimer>
#include <QToolBar>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"

namespace ww::widgets {

NoticeBar::NoticeBar(QMainWindow* window) : QObject(window) {
  bar_ = new QToolBar(tr("Notice"), window);
  bar_->setObjectName("notice_bar");
  bar_->setMovable(false);
  bar_->toggleViewAction()->setVisible(false);
  auto* frame = new QFrame(bar_);
  frame->setProperty("role", "notice");
  auto* row = make_row(frame, grid::bar);
  text_ = make_paragraph(frame, "notice_text");
  text_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  answer_ = with_id(new QPushButton(frame), "notice_answer");
  dismiss_ = make_button(frame, "notice_dismiss", tr("Not now"));
  row->addWidget(text_, 1);
  row->addWidget(answer_);
  row->addWidget(dismiss_);
  bar_->addWidget(frame);
  frame->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar_->hide();
  connect(answer_, &QPushButton::clicked, this, [this] {
    const auto act = act_;
    close();
    if (act) act();
  });
  connect(dismiss_, &QPushButton::clicked, this, &NoticeBar::close);
}

void NoticeBar::ask(const QString& text, const QString& answer, std::function<void()> act) {
  auto* window = qobject_cast<QMainWindow*>(parent());
  window->addToolBar(Qt::TopToolBarArea, bar_);  // behind all others, in a row of its own
  if (!window->toolBarBreak(bar_)) window->insertToolBarBreak(bar_);
  text_->setText(text);
  answer_->setText(answer);
  answer_->setAccessibleName(answer + ": " + text);
  act_ = std::move(act);
  open_ = true;
  bar_->show();
}

void NoticeBar::close() {
  open_ = false;
  bar_->hide();
}

bool NoticeBar::open() const { return open_; }
QString NoticeBar::text() const { return text_->text(); }
void NoticeBar::keep_hidden() { bar_->setVisible(open_); }

Toast::Toast(QWidget* window) : QFrame(window) {
  setObjectName("toast");
  setProperty("role", "toast");
  setAttribute(Qt::WA_StyledBackground);
  auto* row = make_row(this, {grid::wide, grid::step, grid::step, grid::step});
  text_ = make_paragraph(this, {});
  text_->setFixedWidth(300);
  auto* close = new QPushButton(tr("Close"), this);
  close->setProperty("role", "link");
  row->addWidget(text_);
  row->addWidget(close);
  timer_ = make_timer(this, seconds * 1000, [this] { hide(); });
  connect(close, &QPushButton::clicked, this, &QWidget::hide);
  window->installEventFilter(this);
  hide();
}

void Toast::say(const QString& text) {
  text_->setText(text);
  setAccessibleName(text);
  adjustSize();
  place();
  show();
  raise();
  timer_->start();
}

void Toast::place() { move(parentWidget()->width() - width() - 16, parentWidget()->height() - height() - 40); }

bool Toast::eventFilter(QObject* object, QEvent* event) {
  if (event->type() == QEvent::Resize && isVisible()) place();
  return QFrame::eventFilter(object, event);
}

RunNotifier::RunNotifier(QMainWindow* window) : QObject(window), window_(window), toast_(new Toast(window)) {}

void RunNotifier::run_ended(const QString& text) {
  if (window_->isActiveWindow()) return;
  ++said_;
  toast_->say(text);
  QApplication::alert(window_);
  if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
  if (!tray_) {
    tray_ = new QSystemTrayIcon(window_->windowIcon(), this);
    connect(tray_, &QSystemTrayIcon::messageClicked, window_, [this] {
      window_->raise();
      window_->activateWindow();
      tray_->hide();
    });
  }
  tray_->show();
  tray_->showMessage(tr("Warpwright"), text, QSystemTrayIcon::Information, Toast::seconds * 1000);
  QTimer::singleShot(Toast::seconds * 1000, tray_, &QSystemTrayIcon::hide);
}

}  // namespace ww::widgets
