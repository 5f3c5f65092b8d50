// SPDX-License-Identifier: GPL-3.0-or-later
// Theoretical occupancy of the selected candidate's kernels, what limits it, and how it would change with the block size. *modelled*.
#pragma once
#include <QWidget>
#include <memory>
#include "session/session.h"

class QComboBox;
class QCustomPlot;
class QLabel;
class QStackedLayout;

namespace ww::widgets {

class OccupancyPanel : public QWidget {
  Q_OBJECT
 public:
  explicit OccupancyPanel(QWidget* parent = nullptr);
  void show_candidate(const std::shared_ptr<const CandidateView>& candidate);
  QString sentence() const;

 private:
  void show_kernel();
  void plot();
  std::shared_ptr<const CandidateView> candidate_;
  QStackedLayout* pages_;
  QLabel *empty_, *sentence_, *facts_;
  QComboBox* kernel_;
  QCustomPlot* plot_;
};

}  // namespace ww::widgets
