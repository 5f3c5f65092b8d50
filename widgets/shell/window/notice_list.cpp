// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/notice_list.h"
#include <QFrame>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QSettings>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {
constexpr int list_width = 420, list_height = 320;

const char* token_of(store::MessageLevel level) {
  return level == store::MessageLevel::error ? "rejected" : level == store::MessageLevel::warning ? "warning" : "info";
}
const char* icon_of(store::MessageLevel level) {
  return level == store::MessageLevel::error ? "error" : level == store::MessageLevel::warning ? "warning" : "info";
}
}  // namespace

NoticeList::NoticeList(QWidget* parent) : QToolButton(parent) {
  setObjectName("notices");
  setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  setFocusPolicy(Qt::TabFocus);
  list_ = with_id(new QFrame(this, Qt::Popup), "notice_list");
  list_->setProperty("role", "toast");
  auto* column = make_column(list_, grid::panel);
  auto* head = make_row(column);
  head->addWidget(heading(tr("Notices"), list_), 1);
  auto* log = make_button(list_, "notices_log", tr("Show the log"));
  auto* none = make_button(list_, "notices_dismiss_all", tr("Dismiss all"));
  head->addWidget(log);
  head->addWidget(none);
  area_ = make_scroll_area(list_, "notices_area");
  auto* page = new QWidget(area_);
  auto* sheet = make_column(page, {0, 0, grid::step, 0});
  rows_ = make_column(sheet);
  sheet->addStretch(1);
  area_->setWidget(page);
  column->addWidget(area_, 1);
  connect(this, &QToolButton::clicked, this, &NoticeList::open);
  connect(none, &QPushButton::clicked, this, &NoticeList::dismiss_all);
  connect(log, &QPushButton::clicked, this, [this] {
    list_->hide();
    emit log_wanted();
  });
  connect(&Theme::instance(), &Theme::changed, this, &NoticeList::update_button);
  update_button();
}

void NoticeList::add(store::MessageLevel level, const QString& text) {
  notices_.removeIf([&](const Notice& one) { return one.text == text; });
  notices_.prepend({level, text, QDateTime::currentDateTimeUtc()});
  if (notices_.size() > most) notices_.removeLast();
  update_button();
}

QStringList NoticeList::texts() const {
  QStringList all;
  for (const Notice& one : notices_) all += one.text;
  return all;
}

// Each as "level time text".
void NoticeList::save(QSettings& settings) const {
  QStringList lines;
  for (const Notice& one : notices_)
    lines += QStringLiteral("%1 %2 %3").arg(enum_text(one.level), one.time.toString(Qt::ISODate), one.text);
  settings.setValue("window/notices", lines);
}

void NoticeList::restore(const QSettings& settings) {
  for (const QString& line : settings.value("window/notices").toStringList()) {
    const auto level = enum_from_name<store::MessageLevel>(line.section(' ', 0, 0).toStdString());
    const QDateTime time = QDateTime::fromString(line.section(' ', 1, 1), Qt::ISODate);
    if (level && time.isValid() && notices_.size() < most) notices_.append({*level, line.section(' ', 2), time});
  }
  update_button();
}

void NoticeList::open() {
  fill();
  list_->resize(list_width, list_height);
  const QRect room = screen()->availableGeometry();
  QPoint at = mapToGlobal(QPoint(width() - list_width, -list_height - grid::half));
  at.setX(std::clamp(at.x(), room.left(), std::max(room.left(), room.right() - list_width)));
  list_->move(at);
  list_->show();
  list_->setFocus();
}

void NoticeList::dismiss(const QString& text) {
  notices_.removeIf([&](const Notice& one) { return one.text == text; });
  update_button();
  fill();
  if (notices_.empty()) list_->hide();
}

void NoticeList::dismiss_all() {
  notices_.clear();
  update_button();
  list_->hide();
}

void NoticeList::update_button() {
  setVisible(!notices_.empty());
  emit changed();
  if (notices_.empty()) return;
  const auto worst = std::ranges::max(notices_, {}, &Notice::level).level;
  setIcon(Theme::instance().icon(icon_of(worst), token_of(worst)));
  setText(counted(static_cast<int>(notices_.size()), tr("notice"), tr("notices")));
  name_it(this, text(), tr("%1\nKept until you dismiss them: click to read them again").arg(notices_.front().text));
}

void NoticeList::fill() {
  clear_layout(rows_);
  for (const Notice& one : notices_) {
    auto* part = new QWidget(area_->widget());
    auto* row = make_row(part);
    auto* icon = new Label(part);
    icon->set_icon(icon_of(one.level), token_of(one.level), 16);
    Label* words = make_selectable(part, "notice");
    words->setText(tr("%1 %2").arg(short_when_text(one.time.toString(Qt::ISODate).toStdString()), one.text));
    auto* gone = make_icon_tool(part, "close", tr("Dismiss: %1").arg(one.text), tr("Dismiss"));
    connect(gone, &QToolButton::clicked, this, [this, text = one.text] { dismiss(text); });
    row->addWidget(icon, 0, Qt::AlignTop);
    row->addWidget(words, 1);
    row->addWidget(gone, 0, Qt::AlignTop);
    rows_->addWidget(part);
  }
}

}  // namespace ww::widgets
