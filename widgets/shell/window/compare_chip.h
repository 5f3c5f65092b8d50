// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate in the comparison bar: style and letter, name, whether it is the current one or the baseline, and a
// button that removes it. One that is only shown alongside has no letter and can be added.
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
    int place = -1;                    // Selection::place
    QString text, number, words, tip;  // "#12 tiled 64x64 · run 3", "#12", "tiled 64x64"
    bool current = false, baseline = false;
    bool operator==(const Face&) const = default;
  };
  // The full name; "#12 tiled…"; only "#12"; the same without the remove button.
  enum class Density { full, elided, number, bare };
  explicit CompareChip(QWidget* parent);
  void set_density(Density density, int room = 0);  // room: of an elided name's words, in pixels
  int name_width(Density density, int room = 0) const;
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
  void step_wanted(int by);  // moves the focus to another chip

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_menu(const QPoint& at);
  Face face_;
  QString shown_name(Density density, int room) const;
  QFont name_font() const;
  Density density_ = Density::full;
  int room_ = 0;
  QToolButton *name_, *change_;
};

}  // namespace ww::widgets
