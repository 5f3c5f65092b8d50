// SPDX-License-Identifier: GPL-3.0-or-later
// The inputs of a case and the reference outputs, as pictures. They are evaluated here, without a
// candidate.
#pragma once
#include <QDialog>
#include <memory>
#include <stop_token>
#include "explore/case_tensors.h"
#include "session/latest_job.h"
#include "session/session.h"

class QComboBox;
class QStackedLayout;

namespace ww::widgets {

class HeatMap;
class HeatScale;
class EmptyPage;
class Label;

class TensorPictures : public QDialog {
  Q_OBJECT
 public:
  // Of the cases that the candidate's verdict names, which must be there.
  TensorPictures(std::shared_ptr<store::Workspace> workspace, const std::shared_ptr<const CandidateView>& candidate,
                 QWidget* parent);
  ~TensorPictures() override;
  bool ready() const { return ready_; }
  HeatMap* map() const { return map_; }
  QString readout() const;  // of the marked cell

 private:
  void make_page(QWidget* page);
  void read_spec();
  void load();
  void show_tensors(std::vector<explore::CaseTensor> tensors);
  void show_tensor();
  void show_matrix();
  void mark(int cell);
  const evidence::WrongMap* tensor() const;
  const std::shared_ptr<store::Workspace> workspace_;
  const std::int64_t candidate_;
  std::shared_ptr<const op::Spec> spec_;
  std::vector<explore::CaseTensor> tensors_;
  std::vector<op::Binding> bindings_;  // of the cases
  std::stop_source stop_;
  QComboBox *case_, *inputs_, *tensor_, *matrix_;
  QStackedLayout* pages_;
  EmptyPage* waiting_;  // with state_
  Label *state_, *facts_, *readout_;
  HeatMap* map_;
  HeatScale* scale_;
  bool ready_ = false;
  LatestJob job_;  // last: it ends before the rest goes
};

}  // namespace ww::widgets
