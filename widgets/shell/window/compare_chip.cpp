// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/compare_chip.h"
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QToolButton>
#include "panels/profile/series_style.h"
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

// The letter in front of its line and marker.
QPixmap lettered_swatch(int series, QFont font, qreal ratio) {
  font.setBold(true);
  const int letter = QFontMetrics(font).horizontalAdvance('W'), height = std::max(16, QFontMetrics(font).height());
  const QPixmap swatch = series_swatch(series, ratio);
  QPixmap all(QSize(letter + 4 + 26, height) * ratio);
  all.setDevicePixelRatio(ratio);
  all.fill(Qt::transparent);
  QPainter painter(&all);
  painter.setFont(font);
  painter.setPen(series_style(series).color);
  painter.drawText(QRect(0, 0, letter, height), Qt::AlignCenter, series_letter(series));
  painter.drawPixmap(QPointF(letter + 4, (height - 14) / 2), swatch);
  return all;
}

}  // namespace

CompareChip::CompareChip(QWidget* parent) : QFrame(parent) {
  setProperty("role", "chip");
  auto* row = make_row(this, {2, 1, 1, 1}, 0);
  name_ = with_id(new QToolButton(this), "compare_name");
  name_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  name_->setAutoRaise(true);
  name_->setFocusPolicy(Qt::StrongFocus);
  name_->setContextMenuPolicy(Qt::CustomContextMenu);
  name_->installEventFilter(this);
  change_ = make_tool(this, "compare_change", {}, {});
  change_->setAutoRaise(true);
  change_->setFocusPolicy(Qt::NoFocus);  // Delete does it on the chip
  row->addWidget(name_);
  row->addWidget(change_);
  connect(name_, &QToolButton::clicked, this, [this] { emit chosen(face_.candidate); });
  connect(change_, &QToolButton::clicked, this, [this] { emit compare_wanted(face_.candidate, face_.place < 0); });
  connect(name_, &QWidget::customContextMenuRequested, this, &CompareChip::show_menu);
}

void CompareChip::show_face(const Face& face) {
  if (face == face_) return;
  face_ = face;
  restyle();
}

void CompareChip::set_density(Density density, int room) {
  if (density == density_ && room == room_) return;
  density_ = density;
  room_ = room;
  restyle();
}

QFont CompareChip::name_font() const {
  QFont bold = font();
  bold.setBold(face_.current);
  return bold;
}

QString CompareChip::shown_name(Density density, int room) const {
  if (density == Density::number || density == Density::bare) return face_.number;
  const bool in = face_.place >= 0;
  QString shown = face_.text;
  if (density == Density::elided)
    shown = face_.number + " " + QFontMetrics(name_font()).elidedText(face_.words, Qt::ElideRight, room);
  if (face_.baseline)
    shown += QStringLiteral("  \u2013 ") + tr("baseline");
  else if (!in && face_.current && density == Density::full)
    shown += QStringLiteral("  \u2013 ") + tr("selected");
  return shown;
}

int CompareChip::name_width(Density density, int room) const {
  return name_->iconSize().width() + QFontMetrics(name_font()).horizontalAdvance(shown_name(density, room)) + 16;
}

void CompareChip::restyle() {
  const bool in = face_.place >= 0;
  QStringList states;
  if (face_.current) states += tr("selected");
  if (face_.baseline) states += tr("baseline");
  const QString state = states.join(", ");
  const QString shown = shown_name(density_, room_);
  const QString letter = in ? series_letter(face_.place) : tr("Not compared");
  name_->setText(QString(shown).replace('&', "&&"));
  const int series = in ? face_.place : beside_series;
  const QPixmap swatch = lettered_swatch(series, font(), devicePixelRatioF());
  name_->setIcon(face_.current || in ? QIcon(swatch) : Theme::instance().icon("baseline", "muted"));
  name_->setIconSize(face_.current || in ? swatch.deviceIndependentSize().toSize() : QSize(16, 16));
  name_->setFont(name_font());
  name_->setFixedWidth(name_width(density_, room_));
  name_it(name_, QStringList{letter, face_.text, state}.join(", "),
          face_.tip + (state.isEmpty() ? QString() : "\n" + state) +
              tr("\nClick to select it, Delete removes it, B makes it the baseline"));
  change_->setIcon(in ? Theme::instance().icon("close", "muted") : QIcon());
  change_->setText(in ? QString() : tr("Add"));
  change_->setVisible(density_ != Density::bare);
  name_it(change_,
          in ? tr("Remove %1 from the comparison").arg(face_.text) : tr("Add %1 to the comparison").arg(face_.text),
          in ? tr("Remove it from the comparison") : tr("Add it to the comparison"));
  setProperty("current", face_.current);
  setProperty("member", in);
  repolish(this);
  updateGeometry();
}

void CompareChip::show_menu(const QPoint& at) {
  auto* menu = with_id(new QMenu(this), "compare_menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const std::int64_t id = face_.candidate;
  menu->addAction(tr("&Select"), this, [this, id] { emit chosen(id); })->setEnabled(!face_.current);
  menu->addAction(face_.baseline ? tr("Clear the &baseline") : tr("Make &baseline"), this,
                  [this, id] { emit baseline_wanted(id); });
  menu->addAction(tr("&Differences from the selected one"), this, [this, id] { emit diff_wanted(id); })
      ->setEnabled(!face_.current);
  menu->addSeparator();
  const bool in = face_.place >= 0;
  menu->addAction(in ? tr("&Remove from the comparison") : tr("&Add to the comparison"), this,
                  [this, id, in] { emit compare_wanted(id, !in); });
  menu->popup(name_->mapToGlobal(at));
}

bool CompareChip::eventFilter(QObject* watched, QEvent* event) {
  if (watched == name_ && event->type() == QEvent::KeyPress) {
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Left: emit step_wanted(-1); return true;
      case Qt::Key_Right: emit step_wanted(1); return true;
      case Qt::Key_Return:
      case Qt::Key_Enter: emit chosen(face_.candidate); return true;
      case Qt::Key_B: emit baseline_wanted(face_.candidate); return true;
      case Qt::Key_Delete:
      case Qt::Key_Backspace:
        if (face_.place >= 0) emit compare_wanted(face_.candidate, false);
        return true;
      default: break;
    }
  }
  return QFrame::eventFilter(watched, event);
}

}  // namespace ww::widgets
