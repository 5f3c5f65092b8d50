// SPDX-License-Identifier: GPL-3.0-or-later
// The best score so far over a run's attempts, as a small line beside the result. A button: it leads to the progress.
#pragma once
#include <QAbstractButton>
#include <vector>
#include "session/models/candidate_model.h"

namespace ww::widgets {

// The best score after each attempt, from the first accepted one on; only scores of the best one's unit and provenance.
std::vector<double> best_so_far(const std::vector<CandidateModel::Row>& rows);

class BestChart : public QAbstractButton {
  Q_OBJECT
 public:
  explicit BestChart(QWidget* parent);
  void show_rows(const std::vector<CandidateModel::Row>& rows);  // hidden while nothing has improved
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  std::vector<double> best_;
};

}  // namespace ww::widgets
