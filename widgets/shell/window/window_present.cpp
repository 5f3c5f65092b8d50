// SPDX-License-Identifier: GPL-3.0-or-later
// For a class room: one panel in large type and high contrast, and moments of stepped kernels.
#include <QDockWidget>
#include <QKeyEvent>
#include <QMenuBar>
#include <QPointer>
#include <QScopeGuard>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include "panels/candidates/candidate_panel.h"
#include "panels/lens/lens_panel.h"
#include "panels/stepper/stepper_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/label.h"
#include "parts/theme/theme.h"
#include "session/actions/registry.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/preferences.h"

namespace ww::widgets {

namespace {
constexpr int presented_zoom = 150;  // percent
constexpr int hint_shown = 6000;     // milliseconds
}  // namespace

// Nothing of it is remembered: the next start has the theme, size and panels of before.
void MainWindow::present() {
  const StyledOnce once;
  const auto give_focus_back = qScopeGuard([held = QPointer<QWidget>(focusWidget())] {
    if (held && held->isVisible()) held->setFocus(Qt::OtherFocusReason);
  });
  if (presented_) {
    const Presented before = *std::exchange(presented_, std::nullopt);
    if (before.maximised && docks_->maximised()) docks_->maximise(nullptr);
    preferences_->present(0);
    Theme::instance().apply(before.theme);
    for (QWidget* bar : before.bars) bar->show();
    delete findChild<QWidget*>("presentation_hint", Qt::FindDirectChildrenOnly);
    setWindowState(before.state);
    return;
  }
  Presented before{Theme::instance().chosen(), windowState(), false, {}};
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
  for (QWidget* bar : bars())
    if (!bar->isHidden()) {
      bar->hide();
      presented_->bars.append(bar);
    }
  tell_how_to_leave();
}

// Over the panel for a while, since the status bar is hidden.
void MainWindow::tell_how_to_leave() {
  Label* hint = make_label(this, "presentation_hint", "notice");
  hint->setText(tr("Escape or %1 leaves the presentation.")
                    .arg(registry_->action("view.present")->shortcut().toString(QKeySequence::NativeText)));
  hint->setAttribute(Qt::WA_TransparentForMouseEvents);
  QTimer::singleShot(0, hint, [this, hint] {  // when the window has its size
    hint->adjustSize();
    hint->move((width() - hint->width()) / 2, height() - hint->height() - grid::section);
    hint->raise();
    hint->show();
  });
  QTimer::singleShot(hint_shown, hint, &QObject::deleteLater);
}

QList<QWidget*> MainWindow::bars() const {
  QList<QWidget*> all{menuBar(), statusBar()};
  for (QToolBar* bar : findChildren<QToolBar*>(QString(), Qt::FindDirectChildrenOnly)) all.append(bar);
  return all;
}

void MainWindow::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape && presented_) return present();
  QMainWindow::keyPressEvent(event);
}

void MainWindow::connect_classroom() {
  connect(docks_, &Docks::rearranged, this, [this] {
    if (presented_ && presented_->maximised && !docks_->maximised()) present();  // its panel was closed
  });
  const auto tell = [this](const QString& text) { report(store::MessageLevel::info, text); };
  if (auto* stepper = qobject_cast<StepperPanel*>(Docks::panel_of(docks_->find("stepper")))) {
    connect(stepper, &StepperPanel::told, this, tell);
    connect(stepper, &StepperPanel::stepped, candidates_, &CandidatePanel::keep_selected);
  }
  if (auto* lens = qobject_cast<LensPanel*>(Docks::panel_of(docks_->find("lens"))))
    connect(lens, &LensPanel::told, this, tell);
}

void MainWindow::open_moment(const QString& file) {
  registry_->trigger("go.stepper");
  if (auto* stepper = qobject_cast<StepperPanel*>(Docks::panel_of(docks_->find("stepper")))) stepper->open_moment(file);
}

}  // namespace ww::widgets
