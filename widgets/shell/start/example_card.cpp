// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/start/example_card.h"
#include <QPainter>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

constexpr int card_pad = 12, card_picture = 48, card_least = 200;
constexpr double card_cell = 7, card_sign = 22, card_gap = 6;

double part_width(const PicturePart& part) { return part.rows == 0 ? card_sign : part.columns * card_cell; }

bool is_needed(const PicturePart& part, int row, int column) {
  const bool in_row = row == part.rows / 2, in_column = column == part.columns / 2;
  switch (part.needed) {
    case Needed::none: return false;
    case Needed::cell: return in_row && in_column;
    case Needed::row: return in_row;
    case Needed::column: return in_column;
    case Needed::all: return true;
  }
  return false;
}

}  // namespace

ExampleCard::ExampleCard(StartExample example, QWidget* parent) : QPushButton(parent), example_(std::move(example)) {
  setProperty("role", "example");
  setCursor(Qt::PointingHandCursor);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  name_it(this, example_.title + ": " + example_.sentence, example_.sentence);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    updateGeometry();
    update();
  });
}

// The picture, the title, two lines of the sentence.
QSize ExampleCard::sizeHint() const {
  return {card_least, 2 * card_pad + card_picture + 8 + 3 * fontMetrics().lineSpacing() + 4};
}

void ExampleCard::paint_picture(QPainter& painter, const QRectF& room) const {
  double x = room.left();
  const Theme& theme = Theme::instance();
  for (const PicturePart& part : example_.picture) {
    if (part.rows == 0) {
      painter.setPen(theme.color("muted"));
      painter.drawText(QRectF(x, room.top(), card_sign, room.height()), Qt::AlignCenter, part.sign);
    } else {
      const double top = room.center().y() - part.rows * card_cell / 2;
      painter.setPen(QPen(theme.color("border-strong"), 1));
      for (int row = 0; row < part.rows; ++row)
        for (int column = 0; column < part.columns; ++column) {
          painter.setBrush(is_needed(part, row, column) ? theme.color("accent") : theme.color("base"));
          painter.drawRect(QRectF(x + column * card_cell, top + row * card_cell, card_cell, card_cell));
        }
    }
    x += part_width(part) + card_gap;
  }
}

void ExampleCard::paintEvent(QPaintEvent* event) {
  QPushButton::paintEvent(event);  // the style sheet's frame
  QPainter painter(this);
  const QRect inside = rect().adjusted(card_pad, card_pad, -card_pad, -card_pad);
  paint_picture(painter, QRectF(inside.left(), inside.top(), inside.width(), card_picture));
  const int line = fontMetrics().lineSpacing();
  QRect text(inside.left(), inside.top() + card_picture + 8, inside.width(), line);
  QFont bold = font();
  bold.setWeight(QFont::DemiBold);
  painter.setFont(bold);
  painter.setPen(Theme::instance().color("text"));
  painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, example_.title);
  painter.setFont(font());
  painter.setPen(Theme::instance().color("muted"));
  painter.drawText(text.translated(0, line + 4).adjusted(0, 0, 0, line),
                   Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, example_.sentence);
}

}  // namespace ww::widgets
