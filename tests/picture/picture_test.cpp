// SPDX-License-Identifier: Apache-2.0
// Pictures of buffers: what their colours say, and that others read the files.
#include <QtTest>
#include "picture/lens_picture.h"
#include "sim/bytes.h"

using namespace ww;
using namespace ww::picture;

namespace {

// Four floats: -2 read twice, 1 written by thread 40 of block 1, NaN, and one that is never written.
sim::Lens lens() {
  sim::Lens l;
  l.buffer = "y<&>";
  l.type = "f32";
  l.reads = {2, 0, 0, 0};
  l.writes = {1, 1, 1, 0};
  l.blocks = {0, 1, 0, -1};
  l.threads = {0, 40, 0, -1};
  l.lines = {3, 3, 3, 0};
  l.write_steps = {5, 9, 5, -1};
  l.content = "000000c00000803f0000c07f00000000";
  l.sector_moves = {2};
  l.sector_bytes = {16};
  for (int i = 0; i < 3; ++i) { l.frames.push_back({4 * i, l.content, l.reads, {1, i > 1, 1, 0}}); }
  return l;
}

}  // namespace

class PictureTest : public QObject {
  Q_OBJECT
 private slots:
  void coloursSayWhatHappened() {
    const sim::Lens l = lens();
    const auto values = lens_colours(l, Shows::values, {});
    QVERIFY(values[0].blue > values[0].red);  // below zero
    QVERIFY(values[1].red > values[1].blue);
    QVERIFY(values[2].red > 0xf0 && values[2].blue < 0x80);  // amber
    QCOMPARE(values[3], nothing);
    const auto reads = lens_colours(l, Shows::reads, {});
    QVERIFY(reads[0] != reads[1] && reads[1] == nothing);
    const auto writer = lens_colours(l, Shows::writer, {});
    QVERIFY(writer[0] != writer[1] && writer[0] == writer[2] && writer[3] == nothing);
    const auto error = lens_colours(l, Shows::error, {0, {0, 0.5, 1000, std::nan("")}});
    QVERIFY(error[0].green > 0xf0 && error[2].red > error[2].green && error[3] == nothing);
    const auto sectors = lens_colours(l, Shows::sectors, {});
    QVERIFY(sectors[0] == sectors[3]);  // of one sector
    const auto early = lens_colours(l, Shows::values, {}, 0);
    QVERIFY(early[1] == nothing && early[0] == values[0]);
    QCOMPARE(lens_colours(l, Shows::values, {}, 2), values);
    LensLook found;
    found.scale = scale_of(l, Shows::values);
    QCOMPARE(found.scale->least, -2.0);
    QCOMPARE(found.scale->most, 1.0);
    QCOMPARE(lens_colours(l, Shows::values, found, 0), early);
    found.scale->most = 100;
    QVERIFY(lens_colours(l, Shows::values, found, 2) != values);
    QCOMPARE(scale_of(l, Shows::reads).most_count, std::int64_t{2});
    QVERIFY(element_words(l, 1).starts_with("1; written first by thread 40 of block 1 at line 3"));
    QVERIFY(element_words(l, 3).starts_with("never written"));
  }

  void filesAreReadByOthers() {
    const sim::Lens l = lens();
    const Raster raster = lens_raster(l, Shows::values, {2, {}});
    const auto png = png_of(raster);
    QVERIFY(png);
    const QImage image = QImage::fromData(QByteArray::fromStdString(*png), "PNG");
    QCOMPARE(image.size(), QSize(raster.width, raster.height));
    const auto first = lens_colours(l, Shows::values, {})[0];
    QCOMPARE(image.pixelColor(1, 1), QColor(first.red, first.green, first.blue));
    const std::string svg = lens_svg(l, {Shows::values, Shows::reads}, {2, {}});
    QVERIFY(svg.find("y&lt;&amp;>") != std::string::npos && svg.find("times read (at most 2)") != std::string::npos);
    QVERIFY(QString::fromStdString(svg).contains("fill=\"" + QString::fromStdString(hex_of(first)) + "\""));
    const auto gif = lens_gif(l, Shows::values, {2, {}});
    QVERIFY(gif && gif->starts_with("GIF89a"));
    QByteArray bytes = QByteArray::fromStdString(*gif);
    QVERIFY(bytes.count("NETSCAPE2.0") == 1);
    const QImage frame = QImage::fromData(bytes, "GIF");
    if (!frame.isNull()) QCOMPARE(frame.pixelColor(1, 1), QColor(first.red, first.green, first.blue));
  }

  void whatIsNoPictureIsRefused() {
    QVERIFY(!png_of(Raster(0, 0, paper)));
    QVERIFY(!gif_of({}, 10));
    const std::vector<Raster> unequal{Raster(2, 2, paper), Raster(3, 2, paper)};
    QVERIFY(!gif_of(unequal, 10));
    sim::Lens l = lens();
    l.frames.clear();
    QVERIFY(!lens_gif(l, Shows::values, {}));
  }

  void manyColoursBecomeTheNearest() {
    Raster many(40, 40, paper);
    for (std::size_t i = 0; i < many.pixels.size(); ++i)
      many.pixels[i] = {static_cast<std::uint8_t>(i % 40 * 6), static_cast<std::uint8_t>(i / 40 * 6), 0};
    const auto gif = gif_of(std::vector{many}, 10);
    QVERIFY(gif);
    const QImage image = QImage::fromData(QByteArray::fromStdString(*gif), "GIF");
    QVERIFY(!image.isNull());
    for (int y = 0; y < 40; ++y)
      for (int x = 0; x < 40; ++x) {
        const QColor c = image.pixelColor(x, y);
        QVERIFY(std::abs(c.red() - x * 6) < 48 && std::abs(c.green() - y * 6) < 48);
      }
  }
};

QTEST_GUILESS_MAIN(PictureTest)
#include "picture_test.moc"
