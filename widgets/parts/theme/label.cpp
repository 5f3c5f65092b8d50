// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/label.h"
#include <QAbstractButton>
#include <QAction>
#include <QActionEvent>
#include <QCoreApplication>
#include <QResizeEvent>
#include <algorithm>
#include <type_traits>
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

// Labels that Qt makes, of tooltips, message boxes and input dialogs, are plain and harmless, too. A widget is polished
// before its text is laid out, a tooltip before it gets its text; a tooltip that is shown already gets the next one
// without a further sign of it than that it is painted. What windows, buttons and menus are called is harmless as well.
class PlainLabels : public QObject {
 public:
  using QObject::QObject;
  bool eventFilter(QObject* watched, QEvent* event) override {
    switch (event->type()) {
      case QEvent::Polish:
        if (auto* label = qobject_cast<QLabel*>(watched)) label->setTextFormat(Qt::PlainText);
        [[fallthrough]];
      case QEvent::Show:
      case QEvent::Paint:
        if (auto* label = qobject_cast<QLabel*>(watched))
          rewrite(label);
        else if (auto* button = qobject_cast<QAbstractButton*>(watched))
          rewrite(button);
        break;
      case QEvent::WindowTitleChange:
        if (auto* window = qobject_cast<QWidget*>(watched))
          if (const QString title = harmless(window->windowTitle()); title != window->windowTitle())
            window->setWindowTitle(title);
        break;
      case QEvent::ActionAdded:
      case QEvent::ActionChanged: rewrite(static_cast<QActionEvent*>(event)->action()); break;
      default: break;
    }
    return false;
  }

 private:
  template <class Named>
  static void rewrite(Named* named) {
    if (const QString text = harmless(named->text()); text != named->text()) {
      named->setText(text);
      if constexpr (std::is_same_v<Named, QLabel>)
        if (named->isWindow()) named->adjustSize();  // a tooltip: nothing lays it out
    }
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

QSize Label::minimumSizeHint() const {
  QSize size = QLabel::minimumSizeHint();
  if (wordWrap() && width() > size.width()) size.setHeight(std::min(size.height(), heightForWidth(width())));
  return size;
}

int Label::heightForWidth(int width) const {
  if (!wordWrap()) return QLabel::heightForWidth(width);
  if (const QString now = text(); now != measured_) {
    measured_ = now;
    heights_ = {};
  }
  for (const Height& known : heights_)
    if (known.width == width) return known.height;
  heights_[1] = heights_[0];
  heights_[0] = {width, QLabel::heightForWidth(width)};
  return heights_[0].height;
}

bool Label::event(QEvent* event) {
  switch (event->type()) {  // what its height depends on beside its text
    case QEvent::Polish:
    case QEvent::StyleChange:
    case QEvent::FontChange:
    case QEvent::ApplicationFontChange:
    case QEvent::ContentsRectChange:
    case QEvent::LayoutDirectionChange:
    case QEvent::DynamicPropertyChange: heights_ = {}; break;
    default: break;
  }
  return QLabel::event(event);
}

void Label::resizeEvent(QResizeEvent* event) {
  QLabel::resizeEvent(event);
  if (wordWrap() && event->size().width() != event->oldSize().width()) updateGeometry();
}

void Label::set_icon(const QString& name, const QString& token, int size) {
  connect(&Theme::instance(), &Theme::changed, this, &Label::draw_icon, Qt::UniqueConnection);
  icon_ = name;
  icon_token_ = token;
  icon_size_ = size;
  draw_icon();
}

void Label::draw_icon() {
  setPixmap(icon_.isEmpty() ? QPixmap()
                            : Theme::instance().pixmap(icon_, icon_token_, icon_size_, devicePixelRatioF()));
}

void Label::setText(const QString& text) { QLabel::setText(harmless(text)); }

// In every program with a label, as soon as its application exists.
Q_COREAPP_STARTUP_FUNCTION(make_labels_plain)

}  // namespace ww::widgets
