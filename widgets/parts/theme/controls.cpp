// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/header_view.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include <QComboBox>
#include <QDropEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QStackedLayout>
#include <QStyle>
#include <QStylePainter>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QUrl>
#include "parts/theme/elide_label.h"
#include "parts/theme/empty_page.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

namespace {

template <class Layout>
Layout* with_room(Layout* layout, const QMargins& margins, int spacing) {
  layout->setContentsMargins(margins);
  layout->setSpacing(spacing);
  return layout;
}

template <class Layout>
Layout* added_to(QBoxLayout* outer, const QMargins& margins, int spacing) {
  auto* layout = with_room(new Layout, margins, spacing);
  outer->addLayout(layout);
  return layout;
}

// Qt cuts the text of a combo box in the middle of a letter if its style sheet draws it.
class ElidedCombo : public QComboBox {
 public:
  using QComboBox::QComboBox;

 protected:
  void paintEvent(QPaintEvent*) override {
    QStylePainter painter(this);
    QStyleOptionComboBox option;
    initStyleOption(&option);
    painter.drawComplexControl(QStyle::CC_ComboBox, option);
    int room = style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, this).width() - 2;
    if (!option.currentIcon.isNull()) room -= option.iconSize.width() + 4;
    option.currentText = fontMetrics().elidedText(option.currentText, Qt::ElideRight, room);
    painter.drawControl(QStyle::CE_ComboBoxLabel, option);
  }
};

}  // namespace

void name_it(QWidget* widget, const QString& accessible_name, const QString& tooltip) {
  widget->setAccessibleName(accessible_name);
  if (!tooltip.isEmpty()) widget->setToolTip(tooltip);
}

void set_role(QWidget* widget, const char* role) {
  if (widget->property("role").toString() == QLatin1String(role)) return;
  widget->setProperty("role", role);
  repolish(widget);
}

void repolish(QWidget* widget) {
  widget->style()->unpolish(widget);
  widget->style()->polish(widget);
}

QVBoxLayout* make_column(QWidget* widget, const QMargins& margins, int spacing) {
  return with_room(new QVBoxLayout(widget), margins, spacing);
}
QVBoxLayout* make_column(QBoxLayout* outer, const QMargins& margins, int spacing) {
  return added_to<QVBoxLayout>(outer, margins, spacing);
}
QHBoxLayout* make_row(QWidget* widget, const QMargins& margins, int spacing) {
  return with_room(new QHBoxLayout(widget), margins, spacing);
}
QHBoxLayout* make_row(QBoxLayout* outer, const QMargins& margins, int spacing) {
  return added_to<QHBoxLayout>(outer, margins, spacing);
}

QGridLayout* make_grid(QWidget* widget, const QMargins& margins) {
  auto* grid = new QGridLayout(widget);
  grid->setContentsMargins(margins);
  grid->setSpacing(grid::step);
  return grid;
}

QScrollArea* make_scroll_area(QWidget* parent, const QString& id) {
  auto* area = with_id(new QScrollArea(parent), id);
  area->setWidgetResizable(true);
  area->setFrameShape(QFrame::NoFrame);
  area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  area->setFocusPolicy(Qt::NoFocus);
  return area;
}

QSplitter* make_splitter(Qt::Orientation orientation, QWidget* parent) {
  auto* splitter = new QSplitter(orientation, parent);
  splitter->setChildrenCollapsible(false);
  return splitter;
}

void clear_layout(QLayout* layout, const QWidget* kept) {
  while (QLayoutItem* item = layout->takeAt(0)) {
    if (QWidget* w = item->widget(); w && w != kept) {
      w->hide();
      w->deleteLater();
    }
    if (QLayout* inner = item->layout()) clear_layout(inner, kept);
    delete item;
  }
}

QGridLayout* form_grid(QWidget* form) {
  QGridLayout* grid = make_grid(form);
  grid->setColumnStretch(1, 1);
  grid->setColumnStretch(3, 1);
  return grid;
}

void add_caption(QGridLayout* grid, const QString& text, QWidget* field, int row, int column) {
  auto* label = new Label(text, grid->parentWidget());
  label->setBuddy(field);
  grid->addWidget(label, row, column);
}

void add_field(QGridLayout* grid, const QString& caption, QWidget* field, int row, int column, int span) {
  add_caption(grid, caption, field, row, column);
  grid->addWidget(field, row, column + 1, 1, span);
}

Label* heading(const QString& text, QWidget* parent) {
  Label* label = make_label(parent, {}, "heading");
  label->setText(text);
  return label;
}

Label* make_label(QWidget* parent, const QString& id, const char* role) {
  auto* label = with_id(new Label(parent), id);
  if (role) label->setProperty("role", role);
  return label;
}

Label* make_paragraph(QWidget* parent, const QString& id, const char* role) {
  Label* label = make_label(parent, id, role);
  label->setWordWrap(true);
  return label;
}

Label* make_selectable(QWidget* parent, const QString& id, const char* role) {
  Label* label = make_paragraph(parent, id, role);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

Label* empty_state(const QString& sentence, QWidget* parent) {
  Label* label = make_paragraph(parent, {}, "empty");
  label->setText(sentence);
  label->setAlignment(Qt::AlignCenter);
  label->setMinimumWidth(120);
  return label;
}

ElideLabel* make_elided(QWidget* parent, const QString& id, const char* role) {
  auto* label = with_id(new ElideLabel(parent), id);
  if (role) label->setProperty("role", role);
  return label;
}

QToolButton* make_tool(QWidget* parent, const QString& id, const QString& text, const QString& name,
                       const QString& tooltip) {
  auto* button = with_id(new QToolButton(parent), id);
  button->setText(text);
  name_it(button, name, tooltip);
  return button;
}

QToolButton* make_icon_tool(QWidget* parent, const char* icon, const QString& name, const QString& tooltip) {
  auto* button = new QToolButton(parent);
  button->setIcon(Theme::instance().icon(icon));
  name_it(button, name, tooltip);
  return button;
}

QPushButton* make_button(QWidget* parent, const QString& id, const QString& text, const QString& tooltip) {
  auto* button = with_id(new QPushButton(text, parent), id);
  button->setToolTip(tooltip);
  return button;
}

QComboBox* make_combo(QWidget* parent, const QString& id, const QString& name, const QString& tooltip, int characters) {
  auto* box = with_id(new ElidedCombo(parent), id);
  box->setSizeAdjustPolicy(characters > 0 ? QComboBox::AdjustToMinimumContentsLengthWithIcon
                                          : QComboBox::AdjustToContents);
  box->setMinimumContentsLength(characters);
  name_it(box, name, tooltip);
  return box;
}

QComboBox* make_shrinking_combo(QWidget* parent, const QString& id, const QString& name, const QString& tooltip,
                                int characters) {
  QComboBox* box = make_combo(parent, id, name, tooltip);
  box->setMinimumContentsLength(characters);
  return box;
}

QLineEdit* make_search(QWidget* parent, const QString& id, const QString& placeholder, const QString& name,
                       const QString& tooltip) {
  auto* line = with_id(new QLineEdit(parent), id);
  line->setPlaceholderText(placeholder);
  line->setClearButtonEnabled(true);
  name_it(line, name, tooltip);
  return line;
}

ContentPages content_pages(QBoxLayout* outer, const char* icon, const QString& empty_sentence) {
  auto* holder = new QWidget(outer->parentWidget());
  outer->addWidget(holder, 1);
  auto* page = new EmptyPage(icon, empty_sentence, holder);
  ContentPages made{new PageStack(holder), page, new QWidget(holder), page->sentence()};
  made.pages->addWidget(page);
  made.pages->addWidget(made.content);
  return made;
}

QTableView* make_records(QWidget* parent, const QString& id, QAbstractItemModel* model, const QString& name,
                         std::initializer_list<int> widths) {
  auto* table = with_id(new QTableView(parent), id);
  new HeaderView(table);
  table->setModel(model);
  table->setItemDelegate(new FiguresDelegate(table));
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setSelectionMode(QAbstractItemView::SingleSelection);
  table->setAlternatingRowColors(true);
  table->setTabKeyNavigation(false);
  table->setWordWrap(false);
  table->verticalHeader()->hide();
  fit_rows(*table);
  int column = 0;
  for (const int width : widths) table->setColumnWidth(column++, width);
  name_it(table, name);
  return table;
}

void fit_rows(QTableView& table) {
  table.verticalHeader()->setProperty("of_font", true);
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 10);
}

bool has_rows_of_font(const QTableView& table) { return table.verticalHeader()->property("of_font").toBool(); }

QTimer* make_timer(QObject* owner, int ms, std::function<void()> work) {
  auto* timer = new QTimer(owner);
  timer->setSingleShot(true);
  timer->setInterval(ms);
  QObject::connect(timer, &QTimer::timeout, owner, std::move(work));
  return timer;
}

LazyRefresh::LazyRefresh(QWidget* panel, int ms, std::function<void()> refresh)
    : QObject(panel), panel_(panel), refresh_(std::move(refresh)), timer_(make_timer(this, ms, [this] { now(); })) {
  panel->installEventFilter(this);
}

void LazyRefresh::later() {
  stale_ = true;
  if (panel_->isVisible() && !timer_->isActive()) timer_->start();
}

void LazyRefresh::now() {
  stale_ = false;
  refresh_();
}

bool LazyRefresh::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::Show && stale_) now();
  return false;
}

void refresh_with_theme(QWidget* panel, std::function<void()> refresh) {
  auto* refresher = new LazyRefresh(panel, 0, std::move(refresh));
  QObject::connect(&Theme::instance(), &Theme::changed, refresher, &LazyRefresh::later);
}

DropTarget::DropTarget(QWidget* widget, Handlers handlers) : QObject(widget), handlers_(std::move(handlers)) {
  widget->setAcceptDrops(true);
  widget->installEventFilter(this);
}

QStringList DropTarget::local_files(const QMimeData& data) {
  QStringList files;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) files += url.toLocalFile();
  return files;
}

bool DropTarget::eventFilter(QObject*, QEvent* event) {
  if (event->type() == QEvent::DragLeave && handlers_.leave) handlers_.leave();
  if (event->type() != QEvent::DragEnter && event->type() != QEvent::DragMove && event->type() != QEvent::Drop)
    return false;
  auto* drop = static_cast<QDropEvent*>(event);  // the base of all three
  if (!handlers_.takes(*drop->mimeData())) return false;
  bool taken = true;
  if (event->type() == QEvent::DragMove && handlers_.hover) taken = handlers_.hover(drop->position());
  if (event->type() == QEvent::Drop) {
    if (handlers_.leave) handlers_.leave();
    taken = handlers_.drop(*drop->mimeData(), drop->position());
  }
  if (taken)
    drop->acceptProposedAction();
  else
    drop->ignore();
  return true;
}

}  // namespace ww::widgets
