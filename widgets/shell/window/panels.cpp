// SPDX-License-Identifier: GPL-3.0-or-later
#include "shell/window/panels.h"
#include <QCoreApplication>
#include "panels/advice/advice_panel.h"
#include "panels/lessons/lessons_panel.h"
#include "panels/lens/lens_panel.h"
#include "panels/lineage/lineage_panel.h"
#include "panels/plots/pareto_panel.h"
#include "panels/plots/progress_panel.h"
#include "panels/profile/painted_panels.h"
#include "panels/profile/roofline_panel.h"
#include "panels/profile/speed_of_light_panel.h"
#include "panels/review/receipt_panel.h"
#include "panels/review/review_panel.h"
#include "panels/stepper/side_by_side_panel.h"
#include "panels/stepper/stepper_panel.h"
#include "panels/tour/tour_panel.h"
#include "session/actions/registry.h"

namespace ww::widgets {

std::vector<PanelEntry> make_panels(const Context& context) {
  const auto tr = [](const char* text) { return QCoreApplication::translate("panels", text); };
  std::vector<PanelEntry> panels;
  panels.push_back({"lineage", tr("Lineage"), new LineagePanel(context)});
  panels.push_back({"pareto", tr("Pareto"), new ParetoPanel(context)});
  panels.push_back({"progress", tr("Progress"), new ProgressPanel(context)});
  panels.push_back({"review", tr("Review"), new ReviewPanel(context)});
  panels.push_back({"receipt", tr("Receipt"), new ReceiptPanel(context)});
  panels.push_back({"speed_of_light", tr("Speed of light"), new SpeedOfLightPanel(context)});
  panels.push_back({"roofline", tr("Roofline"), new RooflinePanel(context)});
  panels.push_back({"memory", tr("Memory workload"), make_memory_panel(context)});
  panels.push_back({"instructions", tr("Instructions"), make_instructions_panel(context)});
  panels.push_back({"stalls", tr("Stall reasons"), make_stalls_panel(context)});
  panels.push_back({"timeline", tr("Launches"), make_timeline_panel(context)});
  panels.push_back({"hot_spots", tr("Hot lines"), make_hot_spots_panel(context)});
  auto* const advice = new AdvicePanel(context);
  panels.push_back({"advice", tr("Advice"), advice});
  panels.push_back({"tour", tr("Tour"), new TourPanel(context)});
  auto* const lessons = new LessonsPanel(context);
  auto* const stepper = new StepperPanel(context);
  panels.push_back({"lessons", tr("Lessons"), lessons});
  auto* const lens = new LensPanel(context, stepper->session());
  panels.push_back({"stepper", tr("Stepper"), stepper});
  auto* const beside = new SideBySidePanel(context);
  panels.push_back({"side_by_side", tr("Side by side"), beside});
  panels.push_back({"lens", tr("Memory lens"), lens});
  QObject::connect(advice, &AdvicePanel::lesson_wanted, lessons,
                   [lessons, registry = context.registry](const QString& name) {
                     registry->trigger("go.lessons");
                     lessons->open(name);
                   });
  QObject::connect(
      lessons, &LessonsPanel::step_wanted, stepper,
      [stepper, registry = context.registry](const auto& subject, const auto& start, const QString& title) {
        registry->trigger("go.stepper");
        stepper->step_through(subject, start, title);
      });
  QObject::connect(lessons, &LessonsPanel::beside_wanted, beside,
                   [beside, registry = context.registry](const auto& subjects, const auto& titles) {
                     registry->trigger("go.side_by_side");
                     beside->compare(subjects, titles);
                   });
  return panels;
}

}  // namespace ww::widgets
