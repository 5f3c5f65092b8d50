// SPDX-License-Identifier: GPL-3.0-or-later
// The chart as a picture: title, summary, chart, legend.
#include <qcustomplot.h>
#include <QImage>
#include <QSaveFile>
#include <QStackedLayout>
#include <QSvgGenerator>
#include "panels/profile/profile_panel.h"
#include "panels/profile/series_style.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "parts/theme/type.h"

namespace ww::widgets {

QString ProfilePanel::draw_file(const QString& file, bool svg) {
  const QString words = sentence();
  if (pages_->currentIndex() == 0) return tr("There is nothing to export: %1").arg(words);
  const QSize chart = export_size();
  const int margin = 16, line = QFontMetrics(font()).height() + 4;
  QFont bold = font();
  bold.setBold(true);
  const int words_height = wrapped_height(words, font(), chart.width());
  const int legend_rows = profiles_.empty() ? 0 : static_cast<int>((profiles_.size() + 1) / 2);
  const QSize size(chart.width() + 2 * margin, chart.height() + 4 * margin + line + words_height + legend_rows * line);
  const Theme& theme = Theme::instance();
  const auto paint = [&](QPaintDevice* device) {
    QCPPainter p(device);
    p.setMode(QCPPainter::pmNoCaching);
    if (svg) p.setMode(QCPPainter::pmVectorized);
    p.setRenderHint(QPainter::Antialiasing);
    p.fillRect(QRect(QPoint(), size), theme.color("base"));
    p.setPen(theme.color("text"));
    p.setFont(bold);
    p.drawText(QRect(margin, margin, chart.width(), line), Qt::AlignLeft | Qt::AlignVCenter, title_);
    p.setFont(font());
    p.drawText(QRect(margin, margin + line, chart.width(), words_height + 2), Qt::TextWordWrap, words);
    p.save();
    p.translate(margin, 2 * margin + line + words_height);
    draw_chart(&p, chart);
    p.restore();
    for (int i = 0; i < static_cast<int>(profiles_.size()); ++i) {
      const auto profile = static_cast<std::size_t>(i);
      const QRect at(margin + (i % 2) * chart.width() / 2,
                     3 * margin + line + words_height + chart.height() + (i / 2) * line, chart.width() / 2, line);
      p.drawPixmap(at.left(), at.center().y() - 7, series_swatch(series(profile), 2));
      p.setPen(theme.color("text"));
      p.drawText(at.adjusted(34, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                 p.fontMetrics().elidedText(lettered(profile), Qt::ElideRight, at.width() - 44));
    }
  };
  QSaveFile out(file);
  const auto cannot = [&] { return tr("%1 cannot be written: %2").arg(file, out.errorString()); };
  if (!out.open(QIODevice::WriteOnly)) return cannot();
  if (svg) {
    QSvgGenerator generator;
    generator.setOutputDevice(&out);
    generator.setResolution(96);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(), size));
    generator.setTitle(title_);
    generator.setDescription(words);
    paint(&generator);
    return out.commit() ? QString() : cannot();
  }
  QImage image(size * 2, QImage::Format_ARGB32_Premultiplied);
  image.setDevicePixelRatio(2);
  paint(&image);
  return image.save(&out, "png") && out.commit() ? QString() : cannot();
}

}  // namespace ww::widgets
