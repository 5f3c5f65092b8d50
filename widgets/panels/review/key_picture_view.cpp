// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/review/key_picture_view.h"
#include <QPainter>
#include <algorithm>
#include "parts/theme/controls.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"

namespace ww::widgets {

static constexpr int key_square = 5;       // pixels
static constexpr int key_full_visits = 5;  // from here on the colour stays the same

KeyPictureView::KeyPictureView(const std::string& public_key, const QString& whose, QWidget* parent)
    : QWidget(parent), picture_(review::key_picture(public_key)) {
  setObjectName("key_picture");
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  name_it(this, tr("Picture of the key of %1").arg(whose),
          tr("Key %1, %2. Compare it with the picture that the owner sees: 'warpwright-cli keys list' shows it.")
              .arg(qs(review::fingerprint(public_key)), qs(review::fingerprint_words(public_key).value_or(""))));
}

QSize KeyPictureView::sizeHint() const {
  return {review::KeyPicture::columns * key_square + 2, review::KeyPicture::rows * key_square + 2};
}

void KeyPictureView::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Theme& theme = Theme::instance();
  QColor ink = theme.color("accent");
  painter.fillRect(rect(), theme.color("border"));
  painter.fillRect(rect().adjusted(1, 1, -1, -1), theme.color("base"));
  for (int row = 0; row < review::KeyPicture::rows; ++row)
    for (int column = 0; column < review::KeyPicture::columns; ++column) {
      const QRect square(1 + column * key_square, 1 + row * key_square, key_square, key_square);
      const int visits = picture_.visits[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
      ink.setAlphaF(static_cast<float>(std::min(visits, key_full_visits)) / key_full_visits);
      painter.fillRect(square, ink);
      const bool end = row == picture_.end_row && column == picture_.end_column;
      if (!end && (row != picture_.begin_row || column != picture_.begin_column)) continue;
      painter.setPen(theme.color(end ? "rejected" : "text"));
      painter.drawRect(square.adjusted(0, 0, -1, -1));
    }
}

}  // namespace ww::widgets
