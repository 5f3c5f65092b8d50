// SPDX-License-Identifier: GPL-3.0-or-later
// The wrong elements of an output: expected and actual values and errors, side by side, and their pattern. A worker
// repeats the judgement while the window is open.
#pragma once
#include <QDialog>
#include <stop_token>
#include "evidence/wrong_map.h"
#include "session/context.h"
#include "session/latest_job.h"

class QComboBox;
class QGridLayout;
class QPushButton;
class QStackedLayout;
class QVBoxLayout;

namespace ww::widgets {

class HeatMap;
class HeatScale;
class EmptyPage;
class Label;

class WrongElements : public QDialog {
  Q_OBJECT
 public:
  // Opens for a candidate whose verdict has wrong elements; raises a window that is already open.
  static void open(const Context& context, std::int64_t candidate, QWidget* parent);
  ~WrongElements() override;
  static bool has_any(const evidence::Verdict& verdict);  // there is something to show, and it can be repeated
  bool ready() const { return ready_; }
  QString readout() const;  // of the marked cell
  HeatMap* map(int number) const { return maps_[number]; }

 private:
  WrongElements(const Context& context, std::int64_t candidate, QWidget* parent);
  void make_maps(QVBoxLayout* column);
  void place_maps(bool stacked);
  void load(std::int64_t candidate);
  void show_map(const evidence::WrongMap& map, const std::string& text);
  void show_writer(const std::string& text);
  void show_matrix(int number);
  void mark(int cell);  // hovered or selected
  void choose(int cell);
  const evidence::WrongMatrix* matrix() const;
  int worst_cell() const;
  int first_cell() const;
  const Context context_;
  const std::int64_t candidate_;
  std::stop_source stop_;
  evidence::WrongMap map_;
  QStackedLayout* pages_;
  EmptyPage* waiting_;  // with state_
  Label *state_, *title_, *pattern_, *rest_, *writer_, *readout_, *note_;
  QComboBox* matrix_;
  QPushButton *first_, *worst_, *line_;
  HeatMap* maps_[3];
  HeatScale* scales_[3];
  Label* captions_[3];
  QGridLayout* grid_;
  int chosen_ = -1;
  bool ready_ = false;
  LatestJob job_;  // last member: ends before the others are destroyed
};

}  // namespace ww::widgets
