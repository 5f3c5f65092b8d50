// SPDX-License-Identifier: GPL-3.0-or-later
#include "screenshots.h"
#include <QApplication>
#include <QDialog>
#include <QDir>
#include <QDockWidget>
#include <QTimer>
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "session/selection.h"
#include "parts/theme/theme.h"
#include "shell/window/dialogs.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"

namespace ww::workbench {

using namespace widgets;

namespace {
constexpr int look_ms = 60, quiet_looks = 8;  // plots and delayed layouts appear within this time

QWidget* topmost_dialog(const QWidget* main) {
  if (QWidget* modal = QApplication::activeModalWidget()) return modal;
  for (QWidget* w : QApplication::topLevelWidgets())
    if (w->isVisible() && w != main && qobject_cast<QDialog*>(w)) return w;
  return nullptr;
}
}  // namespace

Screenshots::Screenshots(MainWindow& window, const QString& folder)
    : QObject(&window), window_(window), folder_(folder), timer_(new QTimer(this)) {
  if (!QDir().mkpath(folder_)) problems_ += tr("cannot make the folder %1").arg(folder_);
  connect(timer_, &QTimer::timeout, this, &Screenshots::look);
  timer_->start(look_ms);
}

void Screenshots::plan() {
  const auto layout = [this](const QString& id, const QString& theme) {
    return [this, id, theme] {
      if (Theme::instance().current() != theme) Theme::instance().apply(theme);
      window_.docks()->choose(id);
      QList<std::int64_t> compared;
      if (id == "profile")
        for (const auto& row : window_.candidates()->model()->rows())
          if (row.data.rank && *row.data.rank <= 3) compared += row.data.id;
      window_.selection()->set_places(compared);
    };
  };
  for (const QString& theme : {QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("high-contrast")}) {
    for (const Layout& l : layouts()) {
      shots_.push_back({l.id + "-" + theme, layout(l.id, theme), {}});
      for (const QString& dock : docks_of(pruned(l.root, window_.docks()->ids())))
        shots_.push_back({l.id + "-" + dock + "-" + theme, [this, dock] { window_.docks()->show(dock); }, {}});
      shots_.push_back({l.id + "-first-" + theme, [this] { window_.docks()->reset(); }, {}});
    }
    shots_.push_back({"start-" + theme, [this] { window_.actions_registry()->trigger("go.start"); },
                      [this] { window_.actions_registry()->trigger("go.candidates"); }});
    for (const NamedDialog& dialog : dialogs_of(window_))
      shots_.push_back({QString("dialog-%1-%2").arg(dialog.name, theme), dialog.open,
                        [this] {
                          if (QWidget* top = topmost_dialog(&window_)) top->close();
                        },
                        true});
  }
}

void Screenshots::look() {
  if (!window_.settled()) {
    quiet_ = 0;
    return;
  }
  if (++quiet_ < quiet_looks) return;
  quiet_ = 0;
  if (shots_.empty()) plan();
  if (prepared_) {
    take(shots_[next_]);
    if (shots_[next_].after) shots_[next_].after();
    prepared_ = false;
    ++next_;
  }
  if (next_ == shots_.size()) {
    timer_->stop();
    emit finished(written_, problems_);
    return;
  }
  prepared_ = true;
  shots_[next_].prepare();
}

void Screenshots::take(const Shot& shot) {
  QWidget* what = shot.dialog ? topmost_dialog(&window_) : &window_;
  const QString file = folder_ + "/" + shot.name + ".png";
  if (what == nullptr)
    problems_ += tr("%1: there is nothing to take a picture of").arg(shot.name);
  else if (!what->grab().save(file))
    problems_ += tr("cannot write %1").arg(file);
  else
    ++written_;
}

}  // namespace ww::workbench
