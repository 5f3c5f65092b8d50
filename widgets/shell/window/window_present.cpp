// SPDX-License-Identifier: GPL-3.0-or-later
// For a class room: one panel in large type and high contrast, and moments of stepped kernels.
#include <QDockWidget>
#include <QKeyEvent>
#include <QStatusBar>
#include "panels/lens/lens_panel.h"
#include "panels/stepper/stepper_panel.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/preferences.h"

namespace ww::widgets {

namespace {
constexpr int presented_zoom = 150;  // percent
}

// Nothing of it is remembered: the next start has the theme, size and panels of before.
void MainWindow::present() {
  if (presented_) {
    const Presented before = *std::exchange(presented_, std::nullopt);
    if (before.maximised && docks_->maximised()) docks_->maximise(nullptr);
    preferences_->present(0);
    Theme::instance().apply(before.theme);
    setWindowState(before.state);
    return;
  }
  Presented before{Theme::instance().chosen(), windowState(), false};
  if (!docks_->maximised()) {
    if (!docks_->maximise_focused()) {
      show_dock("stepper");
      docks_->maximise(docks_->find("stepper"));
    }
    before.maximised = true;
  }
  presented_ = before;
  Theme::instance().apply("high-contrast");
  preferences_->present(presented_zoom);
  setWindowState(windowState() | Qt::WindowFullScreen);
  statusBar()->showMessage(tr("One panel in large type. Escape or %1 leaves it.")
                               .arg(registry_->action("view.present")->shortcut().toString(QKeySequence::NativeText)),
                           10000);
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && presented_) return present();
  QMainWindow::keyPressEvent(event);
}

void MainWindow::connect_classroom() {
  const auto tell = [this](const QString& text) { report(store::MessageLevel::info, text); };
  if (auto* stepper = qobject_cast<StepperPanel*>(Docks::panel_of(docks_->find("stepper"))))
    connect(stepper, &StepperPanel::told, this, tell);
  if (auto* lens = qobject_cast<LensPanel*>(Docks::panel_of(docks_->find("lens"))))
    connect(lens, &LensPanel::told, this, tell);
}

void MainWindow::open_moment(const QString& file) {
  registry_->trigger("go.stepper");
  if (auto* stepper = qobject_cast<StepperPanel*>(Docks::panel_of(docks_->find("stepper")))) stepper->open_moment(file);
}

}  // namespace ww::widgets
