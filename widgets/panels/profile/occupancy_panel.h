// SPDX-License-Identifier: GPL-3.0-or-later
// Theoretical occupancy of a launch, its limiter, the next step that changes it, and a what-if for registers, block
// size and shared memory. *modelled*.
#pragma once
#include "panels/profile/profile_panel.h"

class QComboBox;
class QCPAxisRect;
class QCustomPlot;
class QSlider;
class QSpinBox;

namespace ww::widgets {

class Label;

class OccupancyPanel : public ProfilePanel {
  Q_OBJECT
 public:
  explicit OccupancyPanel(const Context& context);
  QString what_if() const;             // the sentence below the sliders
  profile::KernelShape shape() const;  // from the sliders

 protected:
  ProfileTable table() const override;
  QString summary() const override;
  QString why_no_data() const override;
  void take_profiles() override;
  void update_chart() override;

 private:
  enum Quantity { registers, block, shared, quantities };
  struct Dial {
    QSlider* slider;
    QSpinBox* spin;
    QCPAxisRect* axes;
  };
  void make_dials(QWidget* chart);
  void set_dials(const profile::KernelShape& shape);
  void dial_moved();
  void reset();
  void draw();
  void draw_curves(Quantity quantity);
  const LaunchView* launch_of(const ProfileView& view) const;  // null: it has none
  const profile::DeviceLimits* limits() const;
  QString limits_name() const;
  static std::vector<profile::CurvePoint> curve(Quantity quantity, const profile::DeviceLimits& limits,
                                                const profile::KernelShape& shape);
  static std::int64_t value(Quantity quantity, const profile::KernelShape& shape);
  QComboBox* launch_;
  QCustomPlot* plot_;
  Label* answer_;
  QWidget* reset_;
  Dial dials_[quantities];
  std::optional<profile::DeviceLimits> limits_;  // of the modelled or measured GPU
  std::int64_t candidate_ = 0;
};

}  // namespace ww::widgets
