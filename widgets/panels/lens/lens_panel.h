// SPDX-License-Identifier: GPL-3.0-or-later
// The memory lens: a buffer of the stepped launch as a picture, over the whole launch, and that picture as a file.
#pragma once
#include <QWidget>
#include <memory>
#include <stop_token>
#include "picture/lens_picture.h"
#include "session/context.h"
#include "session/latest_job.h"
#include "session/step_session.h"

class QComboBox;
class QPushButton;
class QSlider;
class QSpinBox;
class QStackedLayout;
class QTimer;

namespace ww::widgets {

class EmptyPage;
class Label;
class LensView;

class LensPanel : public QWidget {
  Q_OBJECT
 public:
  LensPanel(const Context& context, StepSession* session, QWidget* parent = nullptr);
  ~LensPanel() override;
  void look();                                  // at the chosen buffer; looked_done() or a problem follows
  Status export_to(const QString& file) const;  // .svg, .png or .gif
  const std::optional<sim::Lens>& lens() const { return lens_; }
  bool has_errors() const { return !errors_.empty(); }
  LensView* view() const { return view_; }

 signals:
  void looked_done();
  void told(const QString& what);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void on_opened();
  void show_picture();
  void complain(const QString& why);
  void choose_export();
  picture::Shows shows() const;
  picture::LensLook view_look() const;
  Context context_;
  StepSession* session_;
  std::shared_ptr<const StepLaunch> launch_;  // that was looked at
  std::optional<sim::Lens> lens_;
  std::vector<double> errors_;
  QStackedLayout* pages_;
  EmptyPage* empty_page_;
  QComboBox *buffers_, *shows_;
  QSpinBox* columns_;
  QSlider* frames_;
  QPushButton *play_, *export_;
  LensView* view_;
  Label *legend_, *element_, *problem_;
  QTimer* clock_;
  bool filling_ = false;
  std::stop_source stop_;
  std::shared_ptr<rpc::Supervisor> worker_;
  LatestJob job_;  // last member: ends before the others are destroyed
};

}  // namespace ww::widgets
