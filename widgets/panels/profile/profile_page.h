// SPDX-License-Identifier: GPL-3.0-or-later
// A candidate's whole profile as one page of collapsible sections, with a search for metrics. The page scrolls as a
// whole. Each section is also available as a separate panel.
#pragma once
#include "panels/profile/profile_section.h"
#include "session/context.h"

class QLineEdit;
class QListWidget;
class QScrollArea;
class QSettings;

namespace ww::widgets {

class BaselineProfile;
class Label;

class ProfilePage : public QWidget {
  Q_OBJECT
 public:
  explicit ProfilePage(const Context& context);
  const QList<ProfileSection*>& sections() const { return sections_; }
  ProfileSection* section(profile::Section section) const;
  void go_to(profile::Section section);  // opens it, at the top of the view
  QLineEdit* search() const { return search_; }
  void save(QSettings& settings) const;
  void restore(const QSettings& settings);
  QSize minimumSizeHint() const override { return {260, 160}; }

 signals:
  void panel_wanted(const QString& dock);
  void sections_changed();  // by the user

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void make_bar(QLayout* column);
  void add_section(profile::Section section, const char* dock, ProfilePanel* panel, QLayout* column);
  void show_profiles();
  void show_against(const ProfileView* view);
  void look_for(const QString& words);
  void choose_match();
  Context context_;
  BaselineProfile* baseline_;
  QLineEdit* search_;
  QListWidget* matches_;
  ElideLabel* against_;
  Label* unlike_;
  QScrollArea* area_;
  QList<ProfileSection*> sections_;
  std::vector<measure::ProfileMetric> metrics_, base_;
  bool stale_ = true;
};

}  // namespace ww::widgets
