// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/profile/profile_page.h"
#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QScrollBar>
#include <QSettings>
#include <QToolButton>
#include <cmath>
#include <qcustomplot.h>
#include "session/metric_texts.h"
#include "session/models/candidate_model.h"
#include "panels/profile/occupancy_panel.h"
#include "panels/profile/painted_panels.h"
#include "panels/profile/roofline_panel.h"
#include "panels/profile/speed_of_light_panel.h"
#include "parts/theme/link_list.h"
#include "parts/theme/controls.h"
#include "parts/theme/elide_label.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "session/baseline_profile.h"
#include "session/profile_loader.h"
#include "session/selection.h"

namespace ww::widgets {
namespace {

constexpr int matches_shown = 8;

bool metric_matches(const measure::ProfileMetric& metric, const QStringList& words) {
  const QString text = section_title(metric.section) + " " +
                       qs(metric.title + " " + metric.words + " " + enum_string(metric.provenance));
  return std::all_of(words.begin(), words.end(),
                     [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

bool open_at_first(profile::Section section) {
  return section == profile::Section::speed_of_light || section == profile::Section::roofline;
}

}  // namespace

ProfilePage::ProfilePage(const Context& context) : context_(context), baseline_(new BaselineProfile(context, this)) {
  setProperty("role", "panel");
  setObjectName("profile_page");
  setAccessibleName(tr("Profile"));
  auto* outer = make_column(this, {grid::step, grid::step, 0, 0}, grid::half);
  make_bar(outer);
  unlike_ = make_selectable(this, "profile_unlike", "muted");
  unlike_->hide();
  outer->addWidget(unlike_);
  area_ = make_scroll_area(this, "profile_area");
  area_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // no section changes its width by opening
  outer->addWidget(area_, 1);
  auto* content = new QWidget(area_);
  content->setProperty("role", "panel");
  auto* column = make_column(content, {0, 0, grid::step, grid::step});
  column->addWidget(with_id(new LinkList(tr("Recent runs"), content), "recent_runs"));
  using enum profile::Section;
  add_section(speed_of_light, "speed_of_light", new SpeedOfLightPanel(context), column);
  add_section(roofline, "roofline", new RooflinePanel(context), column);
  add_section(memory, "memory", make_memory_panel(context), column);
  add_section(occupancy, "occupancy", new OccupancyPanel(context), column);
  add_section(instructions, "instructions", make_instructions_panel(context), column);
  add_section(hot_lines, "hot_spots", make_hot_spots_panel(context), column);
  add_section(stalls, "stalls", make_stalls_panel(context), column);
  add_section(launches, "timeline", make_timeline_panel(context), column);
  column->addStretch(1);
  area_->setWidget(content);
  // A plot takes the wheel, also where it does nothing with it: the page scrolls instead.
  for (auto* plot : content->findChildren<QCustomPlot*>()) plot->installEventFilter(this);
  connect(baseline_, &BaselineProfile::changed, this, &ProfilePage::show_profiles);
  connect(context.selection, &Selection::baseline_changed, this, &ProfilePage::show_profiles);
  refresh_with_theme(this, [this] { show_profiles(); });
  if (context.profiles) connect(context.profiles, &ProfileLoader::profiles_loaded, this, &ProfilePage::show_profiles);
  if (context.registry && !context.registry->action("profile.metric"))
    context.registry->add("profile.metric", tr("Profile"), tr("Find a &Metric"), {}, "search",
                          tr("Find a number of the profile by name"), [this] {
                            emit panel_wanted("profile");
                            search_->setFocus(Qt::ShortcutFocusReason);
                            search_->selectAll();
                          });
}

void ProfilePage::make_bar(QLayout* column) {
  auto* bar = new QWidget(this);
  auto* row = make_row(bar, {0, 0, grid::step, 0});
  search_ = make_search(bar, "metric_search", tr("Find a metric"), tr("Find a metric"),
                        tr("Part of a metric's name, such as dram or occup; Return goes to its section"));
  search_->setMaximumWidth(280);
  search_->setMinimumWidth(120);
  search_->installEventFilter(this);
  row->addWidget(search_, 1);
  against_ = make_elided(bar, "profile_against", "muted");
  row->addWidget(against_, 1);
  auto* all = make_tool(bar, "profile_all", tr("Open all"), tr("Open all sections"), {});
  auto* none = make_tool(bar, "profile_none", tr("Close all"), tr("Close all sections"), {});
  for (QToolButton* button : {all, none}) {
    row->addWidget(button);
    connect(button, &QToolButton::clicked, this, [this, on = button == all] {
      for (ProfileSection* one : sections_) one->expand(on);
    });
  }
  column->addWidget(bar);
  matches_ = with_id(new QListWidget(this), "metric_matches");
  name_it(matches_, tr("Metrics found"));
  matches_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  matches_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  matches_->setFocusPolicy(Qt::NoFocus);  // the field keeps it
  matches_->hide();
  column->addWidget(matches_);
  connect(search_, &QLineEdit::textChanged, this, &ProfilePage::look_for);
  connect(matches_, &QListWidget::itemClicked, this, &ProfilePage::choose_match);
}

void ProfilePage::add_section(profile::Section section, const char* dock, ProfilePanel* panel, QLayout* column) {
  auto* one = new ProfileSection(section, panel, this);
  one->expand(open_at_first(section));
  connect(one, &ProfileSection::toggled, this, &ProfilePage::sections_changed);
  connect(one, &ProfileSection::panel_wanted, this, [this, id = QString(dock)] { emit panel_wanted(id); });
  connect(one, &ProfileSection::line_wanted, this, [this](int line) { context_.selection->choose_line(line); });
  column->addWidget(one);
  sections_.append(one);
}

ProfileSection* ProfilePage::section(profile::Section section) const {
  return sections_[static_cast<qsizetype>(section)];
}

void ProfilePage::go_to(profile::Section section) {
  ProfileSection* one = this->section(section);
  one->expand(true);
  area_->widget()->layout()->activate();
  area_->verticalScrollBar()->setValue(one->y());
}

void ProfilePage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (stale_) show_profiles();
}

void ProfilePage::show_profiles() {
  stale_ = !isVisible();
  if (stale_ || !context_.profiles) return;
  const Profiles& profiles = context_.profiles->profiles();
  const bool readable = !profiles.empty() && profiles.front()->problem.empty();
  const ProfileView* view = readable ? profiles.front().get() : nullptr;
  baseline_->find(profiles);
  const std::shared_ptr<const ProfileView> base =
      view && baseline_->view() && baseline_->view()->record.id != view->record.id ? baseline_->view() : nullptr;
  metrics_ = view ? profile_metrics(*view) : std::vector<measure::ProfileMetric>();
  base_ = base ? profile_metrics(*base) : std::vector<measure::ProfileMetric>();
  const double reached = view ? context_.candidates->cost_ratio(view->record.id) : profile::unknown;
  for (ProfileSection* one : sections_) {
    one->show_metrics(metrics_, base_, view, reached);
    one->panel()->show_baseline(base);
  }
  show_against(base.get());
  unlike_->setText(sections_.front()->panel()->unlike());
  unlike_->setVisible(!unlike_->text().isEmpty());
  look_for(search_->text());
}

void ProfilePage::show_against(const ProfileView* view) {
  const Profiles& profiles = context_.profiles->profiles();
  const bool own = !profiles.empty() && profiles.front()->record.id == context_.selection->baseline();
  against_->set_text(view  ? tr("Changes against %1").arg(ProfilePanel::short_name(*view))
                     : own ? tr("%1 is the baseline").arg(ProfilePanel::short_name(*profiles.front()))
                     : !baseline_->foreign().isEmpty() ? baseline_->foreign()
                                                       : tr("No baseline: press B on a candidate"));
}

void ProfilePage::look_for(const QString& text) {
  const QStringList words = text.split(' ', Qt::SkipEmptyParts);
  matches_->clear();
  QSet<profile::Section> found;
  int more = 0;
  for (const measure::ProfileMetric& m : metrics_) {
    if (words.isEmpty() || !metric_matches(m, words)) continue;
    found.insert(m.section);
    if (matches_->count() >= matches_shown) {
      ++more;
      continue;
    }
    QString line = qs(m.title) + "   " + (std::isfinite(m.value) ? metric_value(m.value, m.unit) : tr("not known"));
    if (const measure::ProfileMetric* base = same_metric(base_, m))
      line += "   " + metric_change(m.value, base->value, m.unit);
    auto* item = new QListWidgetItem(tr("%1: %2").arg(section_title(m.section), line), matches_);
    item->setData(Qt::UserRole, static_cast<int>(m.section));
    if (!m.why_not.empty()) item->setToolTip(qs(m.why_not));
  }
  const auto say = [this](const QString& sentence) {
    (new QListWidgetItem(sentence, matches_))->setFlags(Qt::NoItemFlags);
  };
  if (more > 0) say(counted(more, tr("more metric; type another word"), tr("more metrics; type another word")));
  if (!words.isEmpty() && found.isEmpty())
    say(metrics_.empty() ? tr("Select a candidate first.")
                         : tr("No metric is called “%1”.").arg(harmless(text.trimmed())));
  for (ProfileSection* one : sections_) one->set_found(found.contains(one->section()));
  matches_->setVisible(!words.isEmpty());
  if (!found.isEmpty()) matches_->setCurrentRow(0);
  int height = 2 * matches_->frameWidth();
  for (int row = 0; row < matches_->count(); ++row) height += matches_->sizeHintForRow(row);
  matches_->setFixedHeight(height);
}

void ProfilePage::choose_match() {
  const QListWidgetItem* item = matches_->currentItem();
  if (!item || !(item->flags() & Qt::ItemIsEnabled)) return;
  matches_->hide();
  go_to(static_cast<profile::Section>(item->data(Qt::UserRole).toInt()));
}

bool ProfilePage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Wheel && qobject_cast<QCustomPlot*>(watched)) {
    QCoreApplication::sendEvent(area_->verticalScrollBar(), event);
    return true;
  }
  if (watched == search_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down || key == Qt::Key_Up) {
      const int row = matches_->currentRow() + (key == Qt::Key_Down ? 1 : -1);
      if (row >= 0 && row < matches_->count() && matches_->item(row)->flags() & Qt::ItemIsEnabled)
        matches_->setCurrentRow(row);
      return true;
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) return choose_match(), true;
    if (key == Qt::Key_Escape && !search_->text().isEmpty()) return search_->clear(), true;
  }
  return QWidget::eventFilter(watched, event);
}

void ProfilePage::save(QSettings& settings) const {
  for (const ProfileSection* one : sections_)
    settings.setValue("profile/open_" + enum_text(one->section()), one->expanded());
}

void ProfilePage::restore(const QSettings& settings) {
  for (ProfileSection* one : sections_)
    one->expand(settings.value("profile/open_" + enum_text(one->section()), open_at_first(one->section())).toBool());
}

}  // namespace ww::widgets
