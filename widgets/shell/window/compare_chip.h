// SPDX-License-Identifier: GPL-3.0-or-later
// One candidate in the bar of the comparison: style and letter, name, whether it is the current one or the baseline,
// and a button that takes it out. One that is only shown beside the comparison has no letter and can be added.
#pragma once
#include <QFrame>
#include <cstdint>

class QMenu;
class QToolButton;

namespace ww::widgets {

class CompareChip : public QFrame {
  Q_OBJECT
 public:
  struct Face {
    std::int64_t candidate = 0;
    int place = -1;     // Selection::place
    QString text, tip;  // "#12 tiled 64x64 · run 3"
    bool current = false, baseline = false;
    bool operator==(const Face&) const = default;
  };
  explicit CompareChip(QWidget* parent);
  void show_face(const Face& face);
  void restyle();
  const Face& face() const { return face_; }
  QToolButton* name() const { return name_; }
  QToolButton* change() const { return change_; }

 signals:
  void chosen(std::int64_t candidate);
  void compare_wanted(std::int64_t candidate, bool on);
  void baseline_wanted(std::int64_t candidate);
  void diff_wanted(std::int64_t candidate);
  void step_wanted(int by);  // the focus, to another chip

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_menu(const QPoint& at);
  Face face_;
  QToolButton *name_, *change_;
};

}  // namespace ww::widgets
