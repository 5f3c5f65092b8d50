// SPDX-License-Identifier: GPL-3.0-or-later
// One step's access to memory: of global memory the sectors of 32 bytes, with the bytes that lanes access and those
// that move for nothing, bracketed by lines of 128 bytes; of shared memory the 32 banks, one row for each pass.
#pragma once
#include <QString>
#include <vector>
#include "parts/painted_view.h"
#include "sim/step_facts.h"

namespace ww::widgets {

QString access_sentence(const sim::SpaceAccess& access);

class AccessView : public PaintedView {
  Q_OBJECT
 public:
  struct Piece {  // a word of a bank, or bytes of a sector, and the lanes that access it
    int column = 0, row = 0, first = 0, bytes = 4;
    std::int64_t offset = 0;
    QString buffer;
    std::vector<std::uint32_t> lanes;
  };
  struct Line {  // of 128 bytes, and its sectors
    int first = 0, last = 0;
    std::int64_t offset = 0;
  };
  explicit AccessView(QWidget* parent);
  void show_access(const sim::SpaceAccess& access);
  bool of_banks() const { return banks_; }
  int boxes() const { return boxes_; }  // sectors, or passes over the banks
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Line>& lines() const { return lines_; }  // of sectors
  QString line_tip(int sector) const;                        // empty: its line is not known
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void show_tip(const QHelpEvent& help) override;

 private:
  void arrange_sectors(const sim::SpaceAccess& access);
  void arrange_banks(const sim::SpaceAccess& access);
  void paint_sectors(QPainter& painter);
  void paint_banks(QPainter& painter);
  int across() const;
  int line() const;  // height of a row of text
  QRectF box(int number) const;
  QRectF rect_of(const Piece& piece) const;
  QString tip_of(const Piece& piece) const;
  bool banks_ = false;
  int boxes_ = 0;
  std::vector<Piece> pieces_;
  std::vector<Line> lines_;
  std::vector<QString> names_;  // of the sectors: "x[128]"
};

}  // namespace ww::widgets
