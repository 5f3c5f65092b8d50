// SPDX-License-Identifier: GPL-3.0-or-later
// The session that the window restores: geometry, docks, theme, workspace, run, candidate, the texts of the describe
// box.
#include <QActionGroup>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <utility>
#include "session/actions/registry.h"
#include "session/file_dialogs.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/code/open_tabs.h"
#include "panels/describe/describe_panel.h"
#include "panels/tour/tour.h"
#include "store/default_workspace.h"
#include "panels/describe/run_form.h"
#include "panels/log/log_panel.h"
#include "panels/profile/profile_page.h"
#include "session/key_ring.h"
#include "session/reviewer.h"
#include "parts/theme/text.h"
#include "parts/theme/theme.h"
#include "shell/start/start_page.h"
#include "shell/window/compare_bar.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/notice_list.h"
#include "shell/window/notices.h"
#include "shell/window/preferences.h"
#include "shell/window/status.h"

namespace ww::widgets {

namespace {
constexpr CodePanel::Listing code_panes[] = {CodePanel::cuda, CodePanel::ptx_listing, CodePanel::sass_listing};

// Those to be shown come first: the code is never without a pane.
void show_panes(CodePanel& code, const QList<bool>& shown) {
  for (const bool on : {true, false})
    for (const CodePanel::Listing pane : code_panes)
      if (shown[pane] == on) code.set_pane(pane, on);
}
}  // namespace

QString MainWindow::remembered_theme(const QString& settings_file) {
  const auto read = [](const QSettings& s) { return s.value("window/theme", "system").toString(); };
  return settings_file.isEmpty() ? read(QSettings()) : read(QSettings(settings_file, QSettings::IniFormat));
}

void MainWindow::begin_session(const WindowOptions& options) {
  restoring_ = true;
  remember_ = options.remember;
  registry_->load(*settings_);
  restore_layout();
  for (QAction* action : theme_group_->actions())
    action->setChecked(action->data().toString() == Theme::instance().chosen());

  const QString input = options.input;
  const bool is_file = QStringList{"op", "cu", "ptx", "py", "wwmoment"}.contains(QFileInfo(input).suffix().toLower());
  RunForm* form = describe_->form();
  form->set_candidates(preferences_->budget());
  form->restore(*settings_);
  context_.services.gpu->choose(settings_->value("window/modelled_gpu").toString());
  FileDialogs::instance().restore(*settings_);
  if (preferences_->restore()) restore_tabs();
  notices_->restore(*settings_);
  for (const CodePanel::Listing pane : code_panes)
    if (const QString key = "code/pane_" + QString::number(pane); settings_->contains(key))
      code_->set_pane(pane, settings_->value(key).toBool());
  context_.services.models->add_key_reader(keys_->session_reader(), KeyFrom::session);
  context_.services.models->add_key_reader(keys_->reader(), KeyFrom::keychain);
  if (input.isEmpty()) {
    settings_->beginGroup("symbols");
    std::map<std::string, std::int64_t> sizes;
    for (const QString& name : settings_->childKeys()) sizes[name.toStdString()] = settings_->value(name).toInt();
    settings_->endGroup();
    form->set_sizes(sizes);
    describe_->restore(settings_->value("describe/sentence").toString(), settings_->value("describe/spec").toString(),
                       settings_->value("describe/read", true).toBool());
  } else if (is_file) {
    describe_->open_file(input);
  } else {
    describe_->set_sentence(input);
  }
  explore_when_ready_ = options.explore;
  latest_wanted_ = input.isEmpty() && !options.explore;

  const QString last = settings_->value("window/workspace").toString();
  const bool back = !last.isEmpty() && preferences_->restore() && qEnvironmentVariableIsEmpty("WARPWRIGHT_WORKSPACE");
  const QString folder = !options.workspace.isEmpty() ? options.workspace
                         : back                       ? last
                                                      : exact(store::default_workspace().string());
  if (input.isEmpty() && !options.explore && preferences_->restore() &&
      QDir::cleanPath(folder) == QDir::cleanPath(last)) {
    wanted_run_ = settings_->value("window/run").toLongLong();
    wanted_candidate_ = settings_->value("window/candidate").toLongLong();
  }
  restoring_ = false;
  describe_->focus_sentence();
  if (is_file)
    show_dock("describe");
  else if (options.explore)
    docks_->choose("explore");
  else if (!input.isEmpty() || (options.workspace.isEmpty() && wanted_run_ == 0))
    show_start();
  // The first paint comes before anything is loaded.
  QTimer::singleShot(0, this, [this, folder] {
    keys_->load(settings_->value("models/keychain").toStringList());
    describe_->load();
    session_->open_workspace(QDir(folder).absolutePath());
  });
}

void MainWindow::restore_layout() {
  if (settings_->contains("window/geometry")) restoreGeometry(settings_->value("window/geometry").toByteArray());
  docks_->restore(*settings_);
  profile_->restore(*settings_);
  notice_->keep_hidden();
  compare_bar_->settle();
  if (!settings_->contains("window/columns")) return;
  candidates_->restore_header(settings_->value("window/columns").toByteArray());
  preferences_->columns_restored(*candidates_->table(), settings_->value("window/columns_zoom", 100).toInt());
}

void MainWindow::on_workspace_opened() {
  status_->show_workspace(session_->folder());
  status_->show_origin(session_->why_imported());
  take_comparison(std::exchange(compared_in_, session_->folder()));
  if (!Tour::owns(session_->folder())) {
    remember_workspace(session_->folder());
    bring_back();
  }
  setWindowTitle(tr("%1 \u2014 Warpwright").arg(QFileInfo(session_->folder()).fileName()));
  if (log_->model()->rowCount() > 0)  // of another workspace
    log_->add(store::MessageLevel::info, tr("Opened the workspace %1").arg(harmless(session_->folder())));
  if (wanted_run_ != 0) {
    // A run that is no longer there is not worth an error at every start.
    const std::int64_t run = wanted_run_;
    QTimer::singleShot(0, this, [this, run] { session_->show_run(run); });
  }
  update_state();
  save_soon();
}

void MainWindow::set_aside() {
  save();
  own_work_ = OwnWork{session_->folder(),    candidates_->filter_text(),  qs(context_.services.gpu->chosen()),
                      session_->shown_run(), candidates_->selected(),     selection_->baseline(),
                      selection_->places(),  candidates_->shown_states(), {}};
  for (const CodePanel::Listing pane : code_panes) own_work_->panes += code_->pane(pane);
  show_panes(*code_, {true, false, false});
  candidates_->set_filter({}, 0);
  context_.services.gpu->choose({});
}

// A workspace is open that is the person's own: the one before the tour shows what it showed.
void MainWindow::bring_back() {
  const std::optional<OwnWork> own = std::exchange(own_work_, std::nullopt);
  if (!own) return;
  candidates_->set_filter(own->filter, own->states);
  context_.services.gpu->choose(own->gpu);
  show_panes(*code_, own->panes);
  if (QDir::cleanPath(own->folder) != QDir::cleanPath(session_->folder())) return;
  selection_->set_places(own->compared);
  if (selection_->place(own->baseline) >= 0)
    selection_->set_baseline(own->baseline);
  else
    wanted_baseline_ = own->baseline;
  wanted_run_ = quiet_run_ = own->run;
  wanted_candidate_ = own->candidate;
}

// The latest run of a workspace that was opened without one in mind.
void MainWindow::show_latest(const std::vector<store::RunRecord>& runs) {
  if (session_->opening() || !std::exchange(latest_wanted_, false)) return;
  if (runs.empty() || Tour::owns(session_->folder()) || session_->running() || session_->shown_run() != 0 ||
      wanted_run_ != 0 || explore_when_ready_ || !start_->isHidden())
    return;
  const std::int64_t latest = std::ranges::max(runs, {}, &store::RunRecord::id).id;
  if (!describe_->sentence().trimmed().isEmpty() || !describe_->spec_text().trimmed().isEmpty())
    wanted_run_ = latest;  // what was typed stays
  session_->show_run(latest);
}

// The comparison goes with the person from one workspace to another, but neither into the tour nor out of it.
void MainWindow::take_comparison(const QString& before) {
  const QString now = session_->folder();
  if (before.isEmpty() || Tour::owns(before) || Tour::owns(now)) return restore_comparison();
  if (QDir::cleanPath(before) == QDir::cleanPath(now)) return;
  const auto seen = [&](std::int64_t id) {
    return id > 0 ? session_->guests().id_of(before, id) : session_->guests().seen_from(now, id);
  };
  QList<std::int64_t> places = selection_->places();
  for (std::int64_t& id : places)
    if (id != 0) id = seen(id);
  const std::int64_t baseline = selection_->place(selection_->baseline()) < 0 ? 0 : seen(selection_->baseline());
  selection_->clear();
  wanted_baseline_ = 0;
  selection_->set_places(places);
  selection_->set_baseline(baseline);
}

// The comparison of the workspace that was open last; the baseline waits for its run.
void MainWindow::restore_comparison() {
  selection_->clear();
  wanted_baseline_ = 0;
  if (!preferences_->restore() ||
      QDir::cleanPath(session_->folder()) != QDir::cleanPath(settings_->value("window/workspace").toString()))
    return;
  QList<std::int64_t> places;
  for (const QString& id : settings_->value("window/compared").toString().split(' ', Qt::SkipEmptyParts))
    places.append(std::max<qlonglong>(0, id.toLongLong()));
  for (const QString& entry : settings_->value("window/compared_elsewhere").toStringList()) {
    const int place = entry.section(' ', 0, 0).toInt();
    const qlonglong number = entry.section(' ', 1, 1).toLongLong();
    const QString folder = entry.section(' ', 2);
    if (place >= 0 && place < places.size() && places[place] == 0 && number > 0 && QFileInfo(folder).isDir())
      places[place] = session_->guests().id_of(folder, number);
  }
  selection_->set_places(places);
  wanted_baseline_ = settings_->value("window/baseline").toLongLong();
  if (wanted_baseline_ < 0) wanted_baseline_ = selection_->places().value(static_cast<int>(-wanted_baseline_ - 1));
  if (selection_->place(wanted_baseline_) >= 0) selection_->set_baseline(std::exchange(wanted_baseline_, 0));
}

// A guest is stored as "place number folder", a guest as baseline by its place: -1 is the letter A.
void MainWindow::save_comparison() {
  QStringList places, elsewhere;
  for (const std::int64_t id : selection_->places()) {
    places.append(QString::number(is_guest(id) ? 0 : id));
    if (is_guest(id))
      elsewhere.append(QStringLiteral("%1 %2 %3")
                           .arg(selection_->place(id))
                           .arg(number_of(id))
                           .arg(session_->guests().folder_of(id)));
  }
  settings_->setValue("window/compared", selection_->compared().isEmpty() ? QString() : places.join(' '));
  settings_->setValue("window/compared_elsewhere", elsewhere);
  const std::int64_t baseline = wanted_baseline_ != 0 ? wanted_baseline_ : selection_->baseline();
  settings_->setValue("window/baseline",
                      is_guest(baseline) ? -selection_->place(baseline) - 1LL : static_cast<qlonglong>(baseline));
}

void MainWindow::restore_tabs() {
  QHash<QString, QList<std::int64_t>> kept;
  const QVariantMap stored = settings_->value("code/tabs").toMap();
  for (const QString& folder : stored.keys())
    for (const QString& id : stored.value(folder).toString().split(' ', Qt::SkipEmptyParts))
      kept[folder].append(id.toLongLong());
  code_->tabs()->restore(kept);
}

void MainWindow::save_tabs() {
  QVariantMap stored;
  const auto kept = code_->tabs()->kept_by_folder();
  for (auto it = kept.begin(); it != kept.end(); ++it) {
    if (it->isEmpty() || !QFileInfo(it.key()).isDir()) continue;
    QStringList ids;
    for (const std::int64_t id : *it) ids.append(QString::number(id));
    stored.insert(it.key(), ids.join(' '));
  }
  settings_->setValue("code/tabs", stored);
}

void MainWindow::save_soon() {
  if (!restoring_ && !save_timer_->isActive()) save_timer_->start();
}

void MainWindow::save() {
  save_timer_->stop();
  if (!remember_) return;
  if (!presented_) settings_->setValue("window/geometry", saveGeometry());
  docks_->save(*settings_);
  profile_->save(*settings_);
  registry_->save(*settings_);
  settings_->setValue("window/columns", candidates_->save_header());
  settings_->setValue("window/columns_zoom", preferences_->zoom());
  settings_->setValue("window/theme", presented_ ? presented_->theme : Theme::instance().chosen());
  if (!own_work_) settings_->setValue("window/modelled_gpu", qs(context_.services.gpu->chosen()));
  if (session_->ready() && !Tour::owns(session_->folder())) {
    // Where no run was opened, the one before is still the last.
    const QString last = settings_->value("window/workspace").toString();
    new_last_run_ |= session_->shown_run() != 0 || QDir::cleanPath(session_->folder()) != QDir::cleanPath(last);
    settings_->setValue("window/workspace", session_->folder());
    if (new_last_run_) {
      settings_->setValue("window/run", static_cast<qlonglong>(session_->shown_run()));
      settings_->setValue("window/candidate", static_cast<qlonglong>(candidates_->selected()));
    }
    save_comparison();
  }
  save_tabs();
  settings_->setValue("review/reviewer", Reviewer::of(context_)->name());
  for (const CodePanel::Listing pane : code_panes)
    settings_->setValue("code/pane_" + QString::number(pane), own_work_ ? own_work_->panes[pane] : code_->pane(pane));
  settings_->setValue("describe/sentence", describe_->sentence());
  settings_->setValue("describe/spec", describe_->spec_text());
  settings_->setValue("describe/read", describe_->sentence_read());
  describe_->form()->save(*settings_);
  FileDialogs::instance().store(*settings_);
  notices_->save(*settings_);
  settings_->setValue("models/keychain", keys_->services());  // names of services, never a key
  settings_->remove("symbols");
  for (const auto& [name, value] : describe_->form()->binding().symbols)
    settings_->setValue("symbols/" + exact(name), static_cast<qlonglong>(value));
  settings_->sync();
}

}  // namespace ww::widgets
