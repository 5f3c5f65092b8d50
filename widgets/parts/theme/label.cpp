// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/label.h"
#include <QCoreApplication>
#include <QEvent>

namespace ww::widgets {

namespace {

// Labels that Qt makes, of tooltips, message boxes and input dialogs, are plain, too. A widget is polished before its
// text is laid out, a tooltip before it gets its text.
class PlainLabels : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() == QEvent::Polish)
      if (auto* label = qobject_cast<QLabel*>(watched)) label->setTextFormat(Qt::PlainText);
    return false;
  }
};

void make_labels_plain() {
  QCoreApplication* app = QCoreApplication::instance();
  app->installEventFilter(new PlainLabels(app));
}

}  // namespace

Label::Label(QWidget* parent) : Label(QString(), parent) {}

Label::Label(const QString& text, QWidget* parent) : QLabel(parent) {
  QLabel::setTextFormat(Qt::PlainText);
  setText(text);
}

// In every program with a label, as soon as its application exists.
Q_COREAPP_STARTUP_FUNCTION(make_labels_plain)

}  // namespace ww::widgets
