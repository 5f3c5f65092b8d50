// SPDX-License-Identifier: GPL-3.0-or-later
// A section of the profile page: a header with its headline, the change from the baseline and the provenance; below it,
// unless collapsed, the panel and the section's advice.
#pragma once
#include <QFrame>
#include "measure/metrics.h"
#include "session/profile_view.h"

class QToolButton;
class QVBoxLayout;

namespace ww::widgets {

class ElideLabel;
class Label;
class ProfilePanel;
class ProvenanceBadge;

class ProfileSection : public QFrame {
  Q_OBJECT
 public:
  ProfileSection(profile::Section section, ProfilePanel* panel, QWidget* parent);
  profile::Section section() const { return section_; }
  ProfilePanel* panel() const { return panel_; }
  bool expanded() const;
  void expand(bool on);
  void set_found(bool on);  // highlights the section of a metric that was searched for
  bool found() const { return found_; }
  // For the current candidate and the baseline; `others` may be empty. `reached`: how many times the candidate's cost
  // exceeds the best of its run; NaN: not known.
  void show_metrics(const std::vector<measure::ProfileMetric>& metrics,
                    const std::vector<measure::ProfileMetric>& others, const ProfileView* view, double reached);

 signals:
  void toggled(bool expanded);
  void panel_wanted();
  void line_wanted(int line);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_advice(const ProfileView* view, double reached);
  void style_toggle();
  profile::Section section_;
  ProfilePanel* panel_;
  QWidget *header_, *body_, *advice_;
  QVBoxLayout* advice_list_;
  QToolButton* toggle_;
  Label *value_, *change_, *advice_count_;
  ElideLabel* what_;
  ProvenanceBadge* badge_;
  bool found_ = false;
};

}  // namespace ww::widgets
