// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/profile_panel.h"
#include "session/metric_texts.h"
#include <qcustomplot.h>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMenu>
#include <QMessageBox>
#include <QSaveFile>
#include <QScrollBar>
#include <QScrollArea>
#include <QTableWidget>
#include <QToolButton>
#include "session/actions/registry.h"
#include "panels/profile/series_style.h"
#include "session/baseline_profile.h"
#include "session/file_dialogs.h"
#include "session/profile_loader.h"
#include "session/selection.h"
#include "parts/theme/page_stack.h"
#include "parts/theme/header_view.h"
#include "parts/theme/flow_layout.h"
#include "parts/theme/panel_pages.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"
#include "parts/theme/empty_page.h"

namespace ww::widgets {
namespace {

QString csv_cell(QString text) {
  if (!text.contains(QChar('"')) && !text.contains(QChar(',')) && !text.contains(QChar('\n'))) return text;
  text.replace("\"", "\"\"");
  return "\"" + text + "\"";
}

ProfilePanel* focused_profile_panel() {
  for (QWidget* w = QApplication::focusWidget(); w; w = w->parentWidget())
    if (auto* panel = qobject_cast<ProfilePanel*>(w)) return panel;
  return nullptr;
}

}  // namespace

ProfilePanel::ProfilePanel(const Context& context, const char* id, const QString& title, const QString& empty)
    : context_(context), title_(title), empty_sentence_(empty) {
  setAccessibleName(title);
  const ContentPages made = panel_pages(this, id, "columns", empty);
  pages_ = made.pages;
  empty_ = made.empty;
  empty_page_ = made.page;
  page_ = made.content;
  auto* column = make_column(page_, grid::panel, grid::half);
  summary_ = make_selectable(page_, "profile_summary");
  column->addWidget(summary_);
  auto* bar = new QWidget(page_);
  tools_ = new FlowLayout(bar);
  column->addWidget(bar);
  toggle_ = make_tool(bar, "profile_toggle", tr("Table"), tr("Show as a table"),
                      tr("Show the numbers as a table instead of the chart"));
  toggle_->setCheckable(true);
  tools_->addWidget(toggle_);
  export_ = make_tool(bar, "profile_export", tr("Export"), tr("Export %1").arg(title),
                      tr("Save the table as CSV, or the chart as a picture"));
  export_->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(export_);
  menu->addAction(tr("Table as &CSV…"), this, [this] { export_as("csv"); });
  menu->addAction(tr("Chart as &PNG…"), this, [this] { export_as("png"); });
  menu->addAction(tr("Chart as &SVG…"), this, [this] { export_as("svg"); });
  menu->addAction(tr("C&opy Table"), this, &ProfilePanel::copy_table);
  export_->setMenu(menu);
  tools_->addWidget(export_);
  auto* holder = new QWidget(page_);
  views_ = new PageStack(holder);
  column->addWidget(holder, 1);
  table_ = new QTableWidget(holder);
  table_->setItemDelegate(new FiguresDelegate(table_));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->verticalHeader()->hide();
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  new HeaderView(table_);
  name_it(table_, tr("%1, as a table").arg(title));
  views_->addWidget(table_);
  connect(toggle_, &QToolButton::toggled, this, &ProfilePanel::show_table);
  refresh_with_theme(this, [this] { refresh(); });
  if (context_.profiles) {
    connect(context_.profiles, &ProfileLoader::profiles_loaded, this, &ProfilePanel::show_profiles);
    keep_alike(context_.profiles->profiles());
  }
  if (context_.registry && !context_.registry->action("profile.table"))
    context_.registry->add("profile.table", tr("Profile"), tr("Chart or &Table"), QKeySequence("Ctrl+Alt+T"), {},
                           tr("Show the profiler's panel with the focus as a table, or as a chart again"), [] {
                             if (ProfilePanel* panel = focused_profile_panel())
                               panel->show_table(!panel->shows_table());
                           });
}

ProfilePanel::~ProfilePanel() = default;

// In reading order. A scroll area itself takes no focus; what it holds does.
void ProfilePanel::order_focus() {
  QWidget::setTabOrder(toggle_, export_);
  auto* const area = qobject_cast<QScrollArea*>(chart_);
  if (chart_) QWidget::setTabOrder(export_, area && area->widget() ? area->widget() : chart_);
}

void ProfilePanel::set_chart(QWidget* chart) {
  chart_ = chart;
  views_->addWidget(chart);
  views_->setCurrentWidget(chart);
  order_focus();
  if (chart->accessibleName().isEmpty()) chart->setAccessibleName(tr("%1, chart").arg(title_));
}

void ProfilePanel::add_tool(QWidget* control) {
  // A flow lays out in the order of adding: the common controls move behind.
  QLayoutItem* end = tools_->takeAt(tools_->count() - 1);
  QLayoutItem* before = tools_->takeAt(tools_->count() - 1);
  tools_->addWidget(control);
  tools_->addItem(before);
  tools_->addItem(end);
  QWidget::setTabOrder(control, toggle_);
  order_focus();
}

QComboBox* ProfilePanel::add_choice(const char* id, const QString& name, const QString& tooltip, int characters) {
  QComboBox* box = make_combo(page_, id, name, tooltip, characters);
  add_tool(box);
  return box;
}

void ProfilePanel::embed() {
  embedded_ = true;
  setObjectName("page_" + objectName());
  page_->layout()->setContentsMargins(0, 0, 0, 0);
  table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  if (auto* area = qobject_cast<QAbstractScrollArea*>(chart_)) area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

int ProfilePanel::chart_space(int) const { return 320; }

void ProfilePanel::fit() {
  if (!embedded_ || fitting_ || !isVisible()) return;
  fitting_ = true;
  const int room = width();
  int height = least_height(empty_page_, room);
  if (pages_->currentIndex() != 0) {
    int needed = chart_space(room);
    if (shows_table()) {
      needed = table_->horizontalHeader()->sizeHint().height() + table_->horizontalScrollBar()->sizeHint().height() + 4;
      for (int row = 0; row < table_->rowCount(); ++row) needed += table_->rowHeight(row);
    }
    views_->parentWidget()->setFixedHeight(needed);
    QLayout* column = page_->layout();
    column->invalidate();
    height = column->hasHeightForWidth() ? column->totalHeightForWidth(room) : column->totalSizeHint().height();
  }
  setFixedHeight(height);
  fitting_ = false;
}

void ProfilePanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (event->oldSize().width() != event->size().width()) fit();
}

void ProfilePanel::show_baseline(const std::shared_ptr<const ProfileView>& view) {
  if (baseline_ == view) return;
  baseline_ = view;
  refresh();
}

const ProfileView* ProfilePanel::baseline_of(const ProfileView& view) const {
  return baseline_ && baseline_->record.id != view.record.id ? baseline_.get() : nullptr;
}

void ProfilePanel::show_profiles(const Profiles& profiles) {
  keep_alike(profiles);
  refresh();
}

// Bars of two operations side by side would say nothing; those of two sizes do, once it is known that they are.
void ProfilePanel::keep_alike(const Profiles& all) {
  profiles_.clear();
  QStringList texts;
  for (const auto& view : all) {
    const bool known = all.front()->problem.empty() && view->problem.empty();
    const Unlike how = known ? ww::widgets::unlike(*all.front(), *view) : Unlike::no;
    if (how != Unlike::op) profiles_.push_back(view);
    if (how == Unlike::no) continue;
    const QString text = unlike_text(*all.front(), *view);
    texts.append(how == Unlike::op ? tr("%1: it is not drawn.").arg(text) : text + '.');
  }
  unlike_ = texts.join(' ');
}

void ProfilePanel::refresh() {
  stale_ = true;
  if (!isVisible()) return;
  stale_ = false;
  if (refreshing_) {  // something was found meanwhile: all of it is shown once more
    again_ = true;
    return;
  }
  refreshing_ = true;
  again_ = false;
  show_all();
  if (again_) show_all();
  refreshing_ = false;
  fit();
}

void ProfilePanel::show_all() {
  QString why = profiles_.empty() ? empty_sentence_ : QString();
  if (why.isEmpty()) {
    take_profiles();
    why = why_empty();
  }
  if (!why.isEmpty()) {
    empty_->setText(why);
    empty_page_->offer(profiles_.empty() && context_.registry ? tr("Show the candidates") : QString(),
                       [this] { context_.registry->trigger("go.candidates"); });
    setAccessibleDescription(why);
    pages_->setCurrentIndex(0);
    return;
  }
  pages_->setCurrentIndex(1);
  summary_->setText(embedded_ || unlike_.isEmpty() ? summary() : summary() + ' ' + unlike_);
  summary_->setToolTip(harmless(time_definitions(*profiles_.front())));
  setAccessibleDescription(summary_->text());
  if (chart_) chart_->setAccessibleDescription(summary_->text());
  if (shows_table()) fill_table();
  update_chart();
}

void ProfilePanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_)
    refresh();
  else
    fit();
}

void ProfilePanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::FontChange) refresh();
}

QString ProfilePanel::why_empty() const {
  const ProfileView& view = *profiles_.front();
  return view.problem.empty() ? why_no_data()
                              : tr("Candidate %1 cannot be read: %2").arg(qs(view.name), qs(view.problem));
}

ProfileTable ProfilePanel::shown_table() const {
  return profiles_.empty() || !why_empty().isEmpty() ? ProfileTable() : table();
}

QString ProfilePanel::sentence() {
  if (stale_) {  // it was not seen since
    stale_ = false;
    show_all();
  }
  return pages_->currentIndex() == 0 ? empty_->text() : summary_->text();
}

bool ProfilePanel::shows_table() const { return toggle_->isChecked(); }

void ProfilePanel::show_table(bool on) {
  if (toggle_->isChecked() != on) {
    toggle_->setChecked(on);  // comes back here
    return;
  }
  if (on) fill_table();
  views_->setCurrentWidget(on ? static_cast<QWidget*>(table_) : chart_);
  fit();
}

void ProfilePanel::fill_table() {
  const ProfileTable t = shown_table();
  table_->clear();
  table_->setColumnCount(static_cast<int>(t.columns.size()));
  table_->setRowCount(static_cast<int>(t.rows.size()));
  table_->setHorizontalHeaderLabels(t.columns);
  for (int row = 0; row < t.rows.size(); ++row) {
    for (int c = 0; c < t.columns.size(); ++c) {
      const QString text = t.rows[row].value(c);
      auto* item = new QTableWidgetItem(text);
      item->setToolTip(text);
      if (t.numbers.contains(c)) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(row, c, item);
    }
  }
  for (int c = 0; c < t.columns.size(); ++c)
    table_->horizontalHeaderItem(c)->setTextAlignment((t.numbers.contains(c) ? Qt::AlignRight : Qt::AlignLeft) |
                                                      Qt::AlignVCenter);
  table_->resizeColumnsToContents();
  for (int c = 0; c < t.columns.size(); ++c)
    table_->setColumnWidth(c, std::min(table_->columnWidth(c) + 2 * grid::step, 320));  // titles and figures are wider
  table_->horizontalHeader()->setStretchLastSection(true);
}

QString ProfilePanel::short_name(const ProfileView& view) {
  if (!view.record.structure.empty())
    return "#" + QString::number(number_of(view.record.id)) + " " + qs(view.record.structure);
  const QString name = qs(view.name);
  return name.size() > 34 ? name.left(33).trimmed() + QStringLiteral("…") : name;
}

int ProfilePanel::series(std::size_t profile) const {
  const int place = context_.selection->place(profiles_[profile]->record.id);
  return place >= 0 ? place : profiles_.size() == 1 ? 0 : beside_series;
}

QString ProfilePanel::lettered(std::size_t profile) const {
  const QString name = qs(profiles_[profile]->name);
  return profiles_.size() > 1 ? series_letter(series(profile)) + "  " + name : name;
}

QString ProfilePanel::csv() {
  const ProfileTable t = shown_table();
  QString out;
  const auto line = [&](const QStringList& cells) {
    QStringList quoted;
    for (const QString& cell : cells) quoted.append(csv_cell(cell));
    out += quoted.join(",") + "\r\n";
  };
  if (!t.columns.isEmpty()) line(t.columns);
  for (const QStringList& row : t.rows) line(row);
  return out;
}

void ProfilePanel::copy_table() {
  const ProfileTable t = shown_table();
  QStringList lines = {t.columns.join("\t")};
  for (const QStringList& row : t.rows) lines.append(row.join("\t"));
  QApplication::clipboard()->setText(lines.join("\n"));
}

QSize ProfilePanel::export_size() const { return {900, 560}; }

void ProfilePanel::draw_chart(QCPPainter* painter, const QSize& size) {
  auto* plot = qobject_cast<QCustomPlot*>(chart_);
  if (!plot && chart_) plot = chart_->findChild<QCustomPlot*>();
  if (plot)
    plot->toPainter(painter, size.width(), size.height());
  else if (chart_)
    chart_->render(painter, QPoint(), QRegion(), QWidget::DrawChildren);
}

QString ProfilePanel::save(const QString& file) {
  if (file.endsWith(".csv", Qt::CaseInsensitive)) {
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly)) return tr("%1 cannot be written: %2").arg(file, out.errorString());
    out.write(csv().toUtf8());
    return out.commit() ? QString() : tr("%1 cannot be written: %2").arg(file, out.errorString());
  }
  return draw_file(file, file.endsWith(".svg", Qt::CaseInsensitive));
}

void ProfilePanel::export_as(const QString& ending) {
  const QString file = FileDialogs::instance().save(
      this, FileKind::chart, tr("Export %1").arg(title_), title_.toLower().replace(' ', '-') + "." + ending,
      ending == "csv" ? tr("Comma-separated values (*.csv)") : tr("Picture (*.%1)").arg(ending));
  if (file.isEmpty()) return;
  const QString problem = save(file.endsWith("." + ending) ? file : file + "." + ending);
  if (!problem.isEmpty()) QMessageBox::warning(this, tr("Export %1").arg(title_), problem);
}

}  // namespace ww::widgets
