// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/audit.h"
#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAccessible>
#include <QCheckBox>
#include <QComboBox>
#include <QDockWidget>
#include <QFile>
#include <QHeaderView>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMainWindow>
#include <QMenuBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QScrollBar>
#include <QSet>
#include <QSlider>
#include <QSplitterHandle>
#include <QStackedLayout>
#include <QStatusBar>
#include <QStyle>
#include <QStyleOption>
#include <QTabBar>
#include <QTextDocument>
#include <QTextEdit>
#include <QToolButton>
#include <QWidget>
#include <cmath>
#include "parts/theme/elide_label.h"
#include "parts/theme/header_view.h"
#include "parts/theme/theme.h"

namespace ww::test {

using widgets::Theme;

namespace {

QString audit_name(const QWidget* w) {
  QString path;
  for (const QWidget* p = w; p != nullptr && path.count('/') < 4; p = p->parentWidget())
    path.prepend("/" + (p->objectName().isEmpty() || p->objectName().startsWith("qt_")
                            ? QString(p->metaObject()->className()).section(':', -1)
                            : p->objectName()));
  return path.mid(1);
}

bool shown(const QWidget* w) {
  return w->isVisible() && w->width() > 0 && w->height() > 0 && !w->visibleRegion().isEmpty();
}

bool scrolls(const QWidget* w) {  // an ancestor shows the rest
  for (const QWidget* p = w->parentWidget(); p != nullptr; p = p->parentWidget())
    if (qobject_cast<const QScrollArea*>(p)) return true;
  return false;
}

QString plain(const QString& text) {
  if (!Qt::mightBeRichText(text)) return text;
  QTextDocument document;
  document.setHtml(text);
  return document.toPlainText();
}

void label_fits(QLabel* label, QStringList& found) {
  if (qobject_cast<widgets::ElideLabel*>(label) || label->text().isEmpty() || !label->pixmap().isNull()) return;
  const QRect room = label->contentsRect();
  if (label->wordWrap()) {
    const int wanted = label->heightForWidth(label->width());
    if (wanted > label->height() + 2 && !scrolls(label))
      found += QString("%1: %2 of %3 points of height for \"%4\"")
                   .arg(audit_name(label))
                   .arg(label->height())
                   .arg(wanted)
                   .arg(label->text().left(60));
    return;
  }
  int width = 0;
  for (const QString& line : plain(label->text()).split('\n'))
    width = std::max(width, label->fontMetrics().horizontalAdvance(line));
  if (width > room.width() + 2 && label->toolTip().isEmpty())
    found += QString("%1: %2 of %3 points of width for \"%4\"")
                 .arg(audit_name(label))
                 .arg(room.width())
                 .arg(width)
                 .arg(label->text().left(60));
}

void button_fits(QAbstractButton* button, QStringList& found) {
  const auto* tool = qobject_cast<QToolButton*>(button);
  if (button->text().isEmpty() || (tool && tool->toolButtonStyle() == Qt::ToolButtonIconOnly)) return;
  QString text = button->text();
  const int wanted = button->fontMetrics().horizontalAdvance(text.remove('&')) +
                     (button->icon().isNull() || (tool && tool->toolButtonStyle() == Qt::ToolButtonTextOnly)
                          ? 0
                          : button->iconSize().width());
  if (wanted > button->width() + 1)
    found += QString("%1: %2 of %3 points of width for \"%4\"")
                 .arg(audit_name(button))
                 .arg(button->width())
                 .arg(wanted)
                 .arg(button->text());
  if (button->fontMetrics().height() > button->height() + 1)
    found += QString("%1: too low for \"%2\"").arg(audit_name(button), button->text());
}

double luminance(const QColor& c) {  // relative luminance: WCAG 2.1
  const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
  return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF());
}

bool in_window_chrome(const QWidget* w) {  // Qt's own parts, which Qt keeps apart
  return qobject_cast<const QSplitterHandle*>(w) || qobject_cast<const QScrollBar*>(w) || w->inherits("QTabBar") ||
         w->inherits("QRubberBand") || w->inherits("QSizeGrip") || w->inherits("QMenu");
}

}  // namespace

QStringList texts(QWidget* root) {
  QStringList list;
  const auto items = [&](const QAbstractItemModel* model) {
    if (!model) return;
    for (int c = 0; c < model->columnCount(); ++c)
      for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
        list += plain(model->headerData(c, Qt::Horizontal, role).toString());
    for (int r = 0; r < std::min(model->rowCount(), 200); ++r)
      for (int c = 0; c < model->columnCount(); ++c)
        for (const int role : {Qt::DisplayRole, Qt::ToolTipRole})
          list += plain(model->index(r, c).data(role).toString());
  };
  for (QWidget* w : root->findChildren<QWidget*>()) {
    list += {plain(w->toolTip()), w->accessibleName(), w->accessibleDescription(), w->windowTitle()};
    if (auto* label = qobject_cast<QLabel*>(w)) list += plain(label->text());
    if (auto* elided = qobject_cast<widgets::ElideLabel*>(w)) list += elided->full_text();
    if (auto* button = qobject_cast<QAbstractButton*>(w)) list += button->text();
    if (auto* edit = qobject_cast<QLineEdit*>(w)) list += {edit->text(), edit->placeholderText()};
    if (auto* page = qobject_cast<QTextEdit*>(w)) list += page->toPlainText();
    if (auto* combo = qobject_cast<QComboBox*>(w)) items(combo->model());
    if (auto* view = qobject_cast<QAbstractItemView*>(w)) items(view->model());
  }
  list.removeAll(QString());
  list.removeDuplicates();
  return list;
}

QStringList clipped(QWidget* root) {
  QStringList found;
  for (QWidget* w : root->findChildren<QWidget*>()) {
    if (!shown(w)) continue;
    if (auto* label = qobject_cast<QLabel*>(w)) label_fits(label, found);
    if (auto* button = qobject_cast<QAbstractButton*>(w)) button_fits(button, found);
    if (auto* box = qobject_cast<QComboBox*>(w); box && !box->isEditable()) {
      const int room =
          box->width() - 26 - (box->itemIcon(box->currentIndex()).isNull() ? 0 : box->iconSize().width() + 4);
      if (box->fontMetrics().horizontalAdvance(box->currentText()) > room && box->toolTip().isEmpty())
        found += QString("%1: \"%2\" is cut and has no tooltip").arg(audit_name(box), box->currentText());
    }
    if (auto* header = qobject_cast<QHeaderView*>(w);
        header && header->orientation() == Qt::Horizontal && header->model()) {
      for (int i = 0; i < header->count(); ++i) {
        if (header->isSectionHidden(i)) continue;
        const QString text = header->model()->headerData(i, Qt::Horizontal).toString();
        const int side = header->model()->headerData(i, Qt::Horizontal, Qt::TextAlignmentRole).toInt();
        if ((side & Qt::AlignRight) && !dynamic_cast<widgets::HeaderView*>(header))
          found +=
              QString("%1: the title \"%2\" loses its beginning where it does not fit").arg(audit_name(header), text);
        const bool tip = !header->model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty();
        if (header->fontMetrics().horizontalAdvance(text) > header->sectionSize(i) + 1 && !tip)
          found += QString("%1: the title \"%2\" is cut and has no tooltip").arg(audit_name(header), text);
      }
    }
    // A control that its parent shows in part only.
    if ((w->focusPolicy() & Qt::TabFocus) && w->parentWidget() && !scrolls(w) && !w->isWindow() &&
        !w->inherits("QAbstractScrollArea") && !qobject_cast<QTabBar*>(w)) {
      const QRect inside = w->parentWidget()->rect().adjusted(-2, -2, 2, 2);
      if (!inside.contains(w->geometry()))
        found += QString("%1: reaches out of %2").arg(audit_name(w), audit_name(w->parentWidget()));
    }
  }
  return found;
}

QStringList overlapping(QWidget* root) {
  QStringList found;
  QList<QWidget*> parents = root->findChildren<QWidget*>();
  parents.prepend(root);
  for (QWidget* parent : parents) {
    if (!shown(parent) || qobject_cast<QAbstractScrollArea*>(parent)) continue;
    QList<QWidget*> children;
    for (QObject* o : parent->children())
      if (auto* w = qobject_cast<QWidget*>(o);
          w && !w->isWindow() && w->isVisible() && shown(w) && !in_window_chrome(w) && !w->property("overlay").toBool())
        children += w;
    for (int i = 0; i < children.size(); ++i)
      for (int k = i + 1; k < children.size(); ++k) {
        const QRect both = children[i]->geometry().intersected(children[k]->geometry());
        if (both.width() > 2 && both.height() > 2)
          found += QString("%1 and %2 lie over each other by %3x%4")
                       .arg(audit_name(children[i]), audit_name(children[k]))
                       .arg(both.width())
                       .arg(both.height());
      }
  }
  return found;
}

QStringList inaccessible(QWidget* root) {
  QStringList found;
  for (QWidget* w : root->findChildren<QWidget*>()) {
    if (!shown(w) || !w->isEnabled()) continue;
    const bool button = qobject_cast<QAbstractButton*>(w) != nullptr;
    const bool control = button || (w->focusPolicy() & Qt::TabFocus);
    if (!control || w->objectName().startsWith("qt_") || qobject_cast<QScrollBar*>(w) || w->inherits("QTabBar") ||
        w->inherits("CloseButton") || w->inherits("QMenuBar"))
      continue;
    if (auto* edit = qobject_cast<QLineEdit*>(w);
        edit && (qobject_cast<QComboBox*>(edit->parentWidget()) || edit->parentWidget()->inherits("QAbstractSpinBox")))
      continue;  // part of a named control
    if (button && qobject_cast<QLineEdit*>(w->parentWidget()))
      continue;                                                         // Qt's clear button: Escape and Backspace do it
    if (w->inherits("QDockWidgetTitleButton")) continue;                // View has both actions
    if (button && qobject_cast<QTabBar*>(w->parentWidget())) continue;  // keys move between tabs and close them
    if (button && qobject_cast<QAbstractItemView*>(w->parentWidget())) continue;  // the corner that selects all
    if (qobject_cast<QScrollArea*>(w) && qobject_cast<QScrollArea*>(w)->objectName().isEmpty() &&
        w->focusPolicy() == Qt::StrongFocus && w->accessibleName().isEmpty() && w->findChild<QAbstractButton*>())
      continue;  // what is in it is walked
    QAccessibleInterface* face = QAccessible::queryAccessibleInterface(w);
    if (!face) {
      found += audit_name(w) + ": no accessible interface";
      continue;
    }
    if (face->text(QAccessible::Name).trimmed().isEmpty()) found += audit_name(w) + ": no accessible name";
    if (face->role() == QAccessible::NoRole) found += audit_name(w) + ": no role";
    if (button) {
      if (w->focusPolicy() == Qt::NoFocus) {
        // Reachable in another way: an action with a key or in a menu (tool bars), or its tooltip names the key.
        const auto* tool = qobject_cast<QToolButton*>(w);
        if (!(tool && tool->defaultAction()) && !(tool && tool->menu())) found += audit_name(w) + ": no key reaches it";
      }
      QAccessibleActionInterface* actions = face->actionInterface();
      const auto* menu_button =
          qobject_cast<QToolButton*>(w);  // Qt names no action of a tool button whose menu is made of its own actions
      if ((!actions || actions->actionNames().isEmpty()) &&
          !(menu_button && menu_button->popupMode() == QToolButton::InstantPopup && !menu_button->actions().isEmpty()))
        found += audit_name(w) + ": a button without an action";
    }
  }
  return found;
}

namespace {

double contrast_of(const QColor& a, const QColor& b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

void cells_fit(const QAbstractItemView* view, QStringList& found) {
  const QAbstractItemModel* model = view->model();
  const QRect room = view->viewport()->rect();
  const bool moves = view->horizontalScrollBar()->isVisible();
  for (QModelIndex row = view->indexAt({4, 4}); row.isValid();
       row = view->indexAt({4, view->visualRect(row).bottom() + 2}))
    for (int column = 0; column < model->columnCount(row.parent()); ++column) {
      const QModelIndex cell = row.siblingAtColumn(column);
      const QRect place = view->visualRect(cell);
      const QString text = cell.data().toString();
      if (text.isEmpty() || !place.isValid() || place.left() >= room.right()) continue;
      if (place.right() > room.right() + 1 && !moves)
        found += QString("%1: the cell \"%2\" reaches out of the view").arg(audit_name(view), text.left(40));
      const QVariant role = cell.data(Qt::FontRole);
      const QFont font = role.isValid() ? role.value<QFont>().resolve(view->font()) : view->font();
      const bool number = cell.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight;
      const bool cut = QFontMetrics(font).horizontalAdvance(text) > place.width();
      if (cut && (number || view->textElideMode() == Qt::ElideMiddle || view->textElideMode() == Qt::ElideNone))
        found += QString("%1: \"%2\" is cut").arg(audit_name(view), text.left(40));
    }
}

QScrollBar* bar_of(const QAbstractScrollArea* area, Qt::Orientation direction) {
  QScrollBar* bar = direction == Qt::Vertical ? area->verticalScrollBar() : area->horizontalScrollBar();
  return shown(bar) && bar->maximum() > bar->minimum() ? bar : nullptr;
}

// What differs, in the number of pixels, by the contrast that tells a control from its surroundings: WCAG 2.1, 1.4.11.
int changed_pixels(const QImage& before, const QImage& after) {
  int changed = 0;
  for (int y = 0; y < std::min(before.height(), after.height()); ++y)
    for (int x = 0; x < std::min(before.width(), after.width()); ++x)
      if (before.pixel(x, y) != after.pixel(x, y))
        changed += contrast_of(before.pixelColor(x, y), after.pixelColor(x, y)) >= 3;
  return changed;
}

bool has_an_edge(QWidget* painted, const QRect& indicator) {
  const QImage image = painted->grab(indicator.adjusted(-2, -2, 2, 2)).toImage();
  double most = 1;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      most = std::max(most, contrast_of(image.pixelColor(x, y), image.pixelColor(0, 0)));
  return most >= 3;
}

void slider_shows(QWidget* w, QStringList& found) {
  const auto* slider = qobject_cast<const QSlider*>(w);
  if (!slider) return;
  QStyleOptionSlider option;
  option.initFrom(slider);
  option.orientation = slider->orientation();
  option.minimum = slider->minimum();
  option.maximum = slider->maximum();
  option.sliderPosition = option.sliderValue = slider->value();
  if (!has_an_edge(w, w->style()->subControlRect(QStyle::CC_Slider, &option, QStyle::SC_SliderHandle, w)))
    found += audit_name(w) + ": its handle cannot be seen";
}

void check_boxes_show(QWidget* w, QStringList& found) {
  if (auto* box = qobject_cast<QCheckBox*>(w)) {
    QStyleOptionButton option;
    option.initFrom(box);
    if (!has_an_edge(box, box->style()->subElementRect(QStyle::SE_CheckBoxIndicator, &option, box)))
      found += audit_name(w) + ": its box cannot be seen";
  }
  auto* view = qobject_cast<QAbstractItemView*>(w);
  if (!view || !view->model()) return;
  for (int column = 0; column < view->model()->columnCount(view->rootIndex()); ++column) {
    const QModelIndex cell = view->model()->index(0, column, view->rootIndex());
    QStyleOptionViewItem option;
    option.initFrom(view);
    option.rect = view->visualRect(cell);
    option.features = QStyleOptionViewItem::HasCheckIndicator;
    if (!cell.data(Qt::CheckStateRole).isValid() || !view->viewport()->rect().contains(option.rect)) continue;
    if (!has_an_edge(view->viewport(),
                     view->style()->subElementRect(QStyle::SE_ItemViewItemCheckIndicator, &option, view)))
      found += QString("%1: the check box of column %2 cannot be seen").arg(audit_name(view)).arg(column);
  }
}

void focus_shows(QWidget* w, QStringList& found) {
  const auto picture = [w] {  // with what is around it: a text without a frame has its ring there
    QCoreApplication::processEvents();
    QWidget* parent = w->parentWidget();
    return (parent ? parent->grab(w->geometry().adjusted(-4, -4, 4, 4)) : w->grab())
        .toImage()
        .convertToFormat(QImage::Format_RGB32);
  };
  w->clearFocus();
  const QImage before = picture();
  w->setFocus(Qt::TabFocusReason);
  if (!w->hasFocus()) return;  // it hands the focus on
  const int changed = changed_pixels(before, picture());
  if (changed < 12) found += QString("%1: focus changes %2 pixels").arg(audit_name(w)).arg(changed);
  w->clearFocus();
}

}  // namespace

QStringList elided(QWidget* root) {
  QStringList found;
  static const QRegularExpression middle("\\S\u2026 ?[^\\s\u25be.,;:)]");
  for (QWidget* w : root->findChildren<QWidget*>()) {
    if (!shown(w)) continue;
    const auto* label = qobject_cast<QLabel*>(w);
    const auto* button = qobject_cast<QAbstractButton*>(w);
    const QString text = label ? label->text() : button ? button->text() : QString();
    if (text.contains(middle)) found += QString("%1: \"%2\" has lost its middle").arg(audit_name(w), text.left(60));
    if (auto* view = qobject_cast<QAbstractItemView*>(w); view && view->model()) cells_fit(view, found);
  }
  return found;
}

// In a dock that is too narrow for its panel, what the panel shows may scroll sideways, too.
QStringList nested_scrolling(QWidget* root) {
  QStringList found;
  for (auto* area : root->findChildren<QAbstractScrollArea*>())
    for (const Qt::Orientation direction : {Qt::Horizontal, Qt::Vertical}) {
      if (!shown(area) || !bar_of(area, direction)) continue;
      for (const QWidget* p = area->parentWidget(); p && p != root; p = p->parentWidget())
        if (const auto* outer = qobject_cast<const QAbstractScrollArea*>(p);
            outer && bar_of(outer, direction) && !(direction == Qt::Horizontal && outer->parentWidget() == root))
          found += QString("%1 scrolls within %2").arg(audit_name(area), audit_name(outer));
    }
  return found;
}

QStringList invisible_indicators(QWidget* root) {
  QStringList found;
  QSet<QString> seen;
  for (QWidget* w : root->findChildren<QWidget*>()) {
    if (!shown(w) || !w->isEnabled()) continue;
    check_boxes_show(w, found);
    slider_shows(w, found);
    const QString kind = QString(w->metaObject()->className()) + w->property("role").toString();
    if (!(w->focusPolicy() & Qt::TabFocus) || w->inherits("QTabBar") || qobject_cast<QScrollBar*>(w) ||
        w->objectName().startsWith("qt_") || seen.contains(kind))
      continue;
    seen.insert(kind);
    focus_shows(w, found);
  }
  return found;
}

QStringList faint_placeholders(QWidget* root) {
  QStringList found;
  for (QWidget* w : root->findChildren<QWidget*>()) {
    if (!shown(w) || !w->isEnabled() || w->property("placeholderText").toString().isEmpty()) continue;
    const QColor ground = w->palette().color(QPalette::Base);
    const QColor ink = w->palette().color(QPalette::PlaceholderText);
    const auto mixed = [&](int a, int b) { return (a * ink.alpha() + b * (255 - ink.alpha())) / 255; };
    const QColor seen(mixed(ink.red(), ground.red()), mixed(ink.green(), ground.green()),
                      mixed(ink.blue(), ground.blue()));
    if (const double ratio = contrast_of(seen, ground); ratio < 4.5)
      found += QString("%1: its hint has %2 : 1").arg(audit_name(w)).arg(ratio, 0, 'f', 2);
  }
  return found;
}

QStringList low_contrast() {
  struct Pair {
    const char *text, *ground;
  };
  static const Pair pairs[] = {{"text", "window"},
                               {"text", "base"},
                               {"text", "raised"},
                               {"text", "alternate"},
                               {"text", "header"},
                               {"text", "hover"},
                               {"muted", "window"},
                               {"muted", "base"},
                               {"muted", "raised"},
                               {"muted", "alternate"},
                               {"muted", "header"},
                               {"accent-text", "accent"},
                               {"selection-text", "selection"},
                               {"accepted", "base"},
                               {"accepted", "alternate"},
                               {"accepted", "window"},
                               {"rejected", "base"},
                               {"rejected", "alternate"},
                               {"rejected", "window"},
                               {"busy", "base"},
                               {"warning", "base"},
                               {"warning", "window"},
                               {"info", "base"},
                               {"text", "accepted-soft"},
                               {"text", "rejected-soft"},
                               {"text", "warning-soft"},
                               {"text", "info-soft"},
                               {"warning", "warning-soft"},
                               {"rejected", "rejected-soft"},
                               {"accepted", "accepted-soft"},
                               {"info", "info-soft"},
                               {"accent", "base"},
                               {"accent", "window"},
                               {"code-text", "code-background"},
                               {"code-margin-text", "code-margin"},
                               {"code-text", "diff-added"},
                               {"code-text", "diff-removed"},
                               {"code-text", "diff-added-word"},
                               {"code-text", "diff-removed-word"},
                               {"code-comment", "diff-added"},
                               {"code-comment", "diff-removed"},
                               {"meaning-op", "base"},
                               {"meaning-composition", "base"},
                               {"meaning-shape", "base"},
                               {"meaning-dtype", "base"},
                               {"meaning-axis", "base"},
                               {"meaning-constant", "base"},
                               {"meaning-filler", "base"},
                               {"meaning-unknown", "base"}};
  QStringList found;
  const auto look = [&found](const char* text, const char* ground, double least) {
    const double ratio = contrast_of(Theme::instance().color(text), Theme::instance().color(ground));
    if (ratio < least)
      found += QString("%1 on %2: %3 : 1 in the theme %4")
                   .arg(text, ground)
                   .arg(ratio, 0, 'f', 2)
                   .arg(Theme::instance().current());
  };
  for (const Pair& pair : pairs) look(pair.text, pair.ground, 4.5);
  for (const char* edge : {"control", "focus"})
    for (const char* ground : {"base", "window", "alternate"}) look(edge, ground, 3);
  for (const char* text : {"code-text", "code-keyword", "code-type", "code-builtin", "code-number", "code-string",
                           "code-comment", "code-directive", "code-operator", "code-label"})
    for (const char* ground : {"code-background", "code-current-line", "code-fault", "code-search"})
      look(text, ground, 4.5);
  return found;
}

QStringList foreign_colours(QWidget* root, const QString& before) {
  constexpr int by_chance = 40;  // pixels at the edges of letters
  const auto tokens = [](const QString& theme) {
    QFile file(":/themes/" + theme + ".json");
    if (!file.open(QIODevice::ReadOnly)) qFatal("no theme %s", qPrintable(theme));
    const QJsonObject colours = QJsonDocument::fromJson(file.readAll()).object()["colors"].toObject();
    QHash<QRgb, QString> found;
    for (auto it = colours.begin(); it != colours.end(); ++it)
      found[QColor(it.value().toString()).rgb()] = QString("%1 of %2").arg(it.key(), theme);
    return found;
  };
  const QHash<QRgb, QString> own = tokens(widgets::Theme::instance().current()), foreign = tokens(before);
  const QImage image = root->grab().toImage().convertToFormat(QImage::Format_RGB32);
  QHash<QRgb, int> seen;
  for (int y = 0; y < image.height(); ++y)
    for (int x = 0; x < image.width(); ++x)
      if (const QRgb colour = image.pixel(x, y); foreign.contains(colour) && !own.contains(colour)) ++seen[colour];
  QStringList found;
  for (auto it = seen.begin(); it != seen.end(); ++it)
    if (it.value() > by_chance) found += QString("%1 (%2 pixels)").arg(foreign[it.key()]).arg(it.value());
  return found;
}

bool blank(QWidget* panel) {
  const QImage image = panel->grab().toImage().convertToFormat(QImage::Format_RGB32);
  if (image.isNull()) return true;
  const QRgb first = image.pixel(image.width() / 2, image.height() / 2);
  int other = 0;
  for (int y = 0; y < image.height(); y += 2)
    for (int x = 0; x < image.width(); x += 2) other += image.pixel(x, y) != first;
  return other < 20;
}

}  // namespace ww::test
