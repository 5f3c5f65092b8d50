// SPDX-License-Identifier: GPL-3.0-or-later
#include "parts/theme/themed_icon.h"
#include <QHash>
#include <QIconEngine>
#include <QPainter>
#include <algorithm>
#include <utility>
#include "parts/theme/theme.h"

namespace ww::widgets {

namespace {

class ThemedIcon : public QIconEngine {
 public:
  ThemedIcon(QString name, QString token, int most) : name_(std::move(name)), token_(std::move(token)), most_(most) {}
  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    const int side = side_in(rect.size());
    QRect place(0, 0, side, side);
    place.moveCenter(rect.center());
    painter->drawPixmap(place, drawn(side, mode, painter->device()->devicePixelRatioF()));
  }
  QSize actualSize(const QSize& size, QIcon::Mode, QIcon::State) override { return {side_in(size), side_in(size)}; }
  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State) override { return drawn(side_in(size), mode, 1); }
  QPixmap scaledPixmap(const QSize& size, QIcon::Mode mode, QIcon::State, qreal scale) override {
    return drawn(side_in(size / scale), mode, scale);
  }
  QIconEngine* clone() const override { return new ThemedIcon(name_, token_, most_); }

 private:
  int side_in(const QSize& size) const {
    const int side = std::min(size.width(), size.height());
    return most_ > 0 ? std::min(side, most_) : side;
  }
  QPixmap drawn(int side, QIcon::Mode mode, qreal ratio) {
    const Theme& theme = Theme::instance();
    if (of_ != theme.generation()) pixmaps_.clear();
    of_ = theme.generation();
    const bool disabled = mode == QIcon::Disabled;
    QPixmap& pixmap = pixmaps_[(static_cast<quint64>(side) << 32) + (qRound(ratio * 100) << 1) + (disabled ? 1 : 0)];
    if (pixmap.isNull()) pixmap = theme.pixmap(name_, disabled ? QStringLiteral("disabled") : token_, side, ratio);
    return pixmap;
  }
  QString name_, token_;
  int most_;
  int of_ = 0;
  QHash<quint64, QPixmap> pixmaps_;  // in the colours of theme number of_
};

}  // namespace

QIcon themed_icon(const QString& name, const QString& token, int most) {
  return QIcon(new ThemedIcon(name, token, most));
}

}  // namespace ww::widgets
