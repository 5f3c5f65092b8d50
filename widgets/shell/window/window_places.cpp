// SPDX-License-Identifier: GPL-3.0-or-later
// Quick open, find everywhere, recent workspaces, how an ended or interrupted run is described.
#include <QCoreApplication>
#include <QDialogButtonBox>
#include <QDir>
#include <QFileInfo>
#include <QMenu>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <Qsci/qsciglobal.h>
#include <algorithm>
#include "store/database_file.h"
#include "session/actions/find_dialog.h"
#include "session/actions/palette.h"
#include "session/actions/registry.h"
#include "panels/candidates/candidate_panel.h"
#include "panels/code/code_panel.h"
#include "panels/conversation/conversation_panel.h"
#include "panels/describe/describe_panel.h"
#include "panels/log/log_panel.h"
#include "panels/runs/runs_panel.h"
#include "parts/theme/controls.h"
#include "parts/theme/dialogs.h"
#include "parts/theme/html_view.h"
#include "panels/tour/tour.h"
#include "panels/tour/tour_panel.h"
#include "parts/theme/text.h"
#include "shell/window/compare_bar.h"
#include "shell/window/crash_guard.h"
#include "shell/window/docks.h"
#include "shell/window/main_window.h"
#include "shell/window/navigator.h"
#include "shell/window/visited.h"
#include "shell/window/notices.h"
#include "shell/window/preferences.h"
#include "shell/window/run_deletion.h"
#include "shell/window/worker_facts.h"
#include "shell/window/status.h"

namespace ww::widgets {

void MainWindow::make_places() {
  notice_ = new NoticeBar(this);
  notifier_ = new RunNotifier(this);
  navigator_ = new Navigator(context_, docks_, this);
  visited_ = new Visited(context_, navigator_, this);
  guard_ = new CrashGuard(settings_.get(), context_, notice_, this);
  connect(new WorkerFactsLoader(context_, this), &WorkerFactsLoader::loaded, status_, &StatusPart::show_facts);
  connect(guard_, &CrashGuard::resume_wanted, this, [this](std::int64_t run) {
    resume_when_shown_ = run;
    if (session_->shown_run() == run)
      resume_shown();
    else
      session_->show_run(run);
  });
  connect(session_, &Session::run_shown, this, [this] { QTimer::singleShot(0, this, &MainWindow::resume_shown); });
  connect(session_, &Session::state_changed, this, &MainWindow::save_soon);
  connect(session_, &Session::events, this, [this](const std::vector<explore::Event>& batch) {
    if (!preferences_->notify()) return;
    for (const explore::Event& event : batch)
      if (const auto* end = std::get_if<explore::RunEnded>(&event))
        notifier_->run_ended(end->proposed == 0 && end->state == store::RunState::done
                                 ? tr("Run %1 has no candidates: %2.").arg(end->run).arg(qs(end->why))
                                 : tr("Run %1 %2: %3 proved of %4 proposed.")
                                       .arg(end->run)
                                       .arg(enum_text(end->state))
                                       .arg(end->accepted)
                                       .arg(end->proposed));
  });
  connect_tour();
  connect(navigator_, &Navigator::op_wanted, this, [this](const QString& phrase) {
    show_dock("describe");
    describe_->set_sentence(phrase);
  });
  connect(navigator_, &Navigator::exchange_wanted, this, [this](std::int64_t run, std::int64_t exchange) {
    show_dock("conversation");
    if (run == 0) {
      conversation_->select_outside(exchange);
      return;
    }
    conversation_->select(exchange);
  });
}

void MainWindow::make_compare_bar() {
  compare_bar_ = new CompareBar(context_, this);
  connect(docks_, &Docks::layout_changed, compare_bar_, &CompareBar::settle);
  connect(docks_, &Docks::layout_changed, notice_, &NoticeBar::keep_hidden);
  connect(compare_bar_, &CompareBar::resized, this, [this] {
    if (start_) place_start();
  });
  connect(compare_bar_, &CompareBar::refused, this,
          [this](const QString& sentence) { report(store::MessageLevel::warning, sentence); });
  const auto show_of_run = [this](std::int64_t run, std::int64_t candidate) {
    select_when_shown_ = candidate;
    session_->show_run(run);
  };
  connect(compare_bar_, &CompareBar::candidate_wanted, this, show_of_run);
  connect(code_, &CodePanel::candidate_wanted, this, show_of_run);
  connect(compare_bar_, &CompareBar::elsewhere_wanted, this,
          [this](const QString& folder, std::int64_t run, std::int64_t candidate) {
            wanted_run_ = run;
            wanted_candidate_ = candidate;
            session_->open_workspace(folder);
          });
  connect(selection_, &Selection::compared_changed, this, &MainWindow::save_soon);
  connect(selection_, &Selection::baseline_changed, this, &MainWindow::save_soon);
}

void MainWindow::make_run_deletion() {
  auto* deletion = new RunDeletion(context_, code_->edits(), this);
  connect(deletion, &RunDeletion::refused, this,
          [this](const QString& sentence) { report(store::MessageLevel::warning, sentence); });
  connect(deletion, &RunDeletion::deleted, this, [this](std::int64_t, const QString& summary) {
    report(store::MessageLevel::info, summary);
    save_soon();
  });
  QTableView* table = runs_->table();
  QAction* open =
      registry_->add("runs.open", tr("Runs"), tr("&Open the run"), {}, "open",
                     tr("Show the run selected in the panel Runs"), [this] { session_->show_run(runs_->selected()); });
  QAction* remove = registry_->add("runs.delete", tr("Runs"), tr("&Delete the run..."), {}, "trash",
                                   tr("Permanently delete the run selected in the panel Runs"),
                                   [this, deletion] { deletion->ask(runs_->selected()); });
  connect(runs_, &RunsPanel::delete_wanted, deletion, &RunDeletion::ask);
  table->addActions({open, remove});
  table->setContextMenuPolicy(Qt::ActionsContextMenu);
}

void MainWindow::connect_tour() {
  auto* tour = findChild<TourPanel*>();
  if (!tour) return;
  tour->set_reached(settings_->value("tour/step", -1).toInt());
  connect(tour->tour(), &Tour::begins, this, &MainWindow::set_aside);
  connect(tour->tour(), &Tour::left, this, &MainWindow::tour_left);
  connect(tour, &TourPanel::reached_changed, this, [this, tour] { settings_->setValue("tour/step", tour->reached()); });
}

void MainWindow::resume_shown() {
  if (resume_when_shown_ == 0 || session_->shown_run() != resume_when_shown_) return;
  resume_when_shown_ = 0;
  resume();
}

void MainWindow::show_palette() {
  auto* palette = new Picker(
      "command_palette", tr("Commands"), tr("Type a command"),
      [this](const QString& typed) { return picks_of_actions(*registry_, typed); }, this);
  open_once(palette);
}

void MainWindow::show_quick_open() {
  auto places = std::make_shared<Places>();
  places->runs = runs_->model()->runs();
  for (store::RunRecord& run : places->runs) run.state = runs_->model()->state_of(run);
  places->ops = ops_;
  places->candidates = candidates_->model();
  places->registry = registry_;
  places->open_run = [this](std::int64_t run) { navigator_->open_run(run); };
  places->open_candidate = [this](std::int64_t id) { navigator_->open_candidate(0, id); };
  places->open_op = [this](const QString& phrase) { emit navigator_->op_wanted(phrase); };
  auto* picker = new Picker(
      "quick_open", tr("Quick open"),
      tr("A run, a candidate (name, #number, beginning of its hash), an op, a panel, a setting"),
      [places](const QString& typed) { return picks_of_places(*places, typed); }, this);
  if (!open_once(picker)) return;
  if (!ops_.empty()) return;
  ops_job_.submit(
      [this, language = context_.services.language, places, here = QPointer<Picker>(picker)]() -> LatestJob::Deliver {
        auto ops = language->ops();
        return [this, places, here, list = ops ? std::move(*ops) : std::vector<OpSummary>{}] {
          ops_ = places->ops = list;
          if (here) here->refresh();
        };
      });
}

void MainWindow::show_find() {
  if (auto* open = findChild<FindDialog*>()) {
    open->show();
    open->raise();
    open->activateWindow();
    open->focus_words();
    return;
  }
  auto* dialog = new FindDialog(context_, log_->model(), this);
  connect(dialog, &FindDialog::chosen, navigator_, &Navigator::open_found);
  dialog->show();
  dialog->focus_words();
}

void MainWindow::remember_workspace(const QString& folder) {
  QStringList recent = settings_->value("window/recent").toStringList();
  recent.removeAll(folder);
  recent.prepend(folder);
  settings_->setValue("window/recent", QStringList(recent.mid(0, 12)));
}

void MainWindow::open_folder(const QString& folder) {
  std::error_code none;
  if (std::filesystem::exists(store::database_of(folder.toStdString()), none) || QDir(folder).isEmpty())
    return session_->open_workspace(folder);
  auto* box = with_id(new QMessageBox(QMessageBox::Question, tr("Open workspace"),
                                      harmless(tr("%1 is no workspace, and has other files.").arg(folder)),
                                      QMessageBox::Cancel, this),
                      "create_workspace");
  box->setInformativeText(tr("A new workspace can be created in this folder, beside those files, or in an empty one."));
  QPushButton* yes = box->addButton(tr("&Create a workspace here"), QMessageBox::AcceptRole);
  yes->setObjectName("create_workspace_yes");
  box->setDefaultButton(QMessageBox::Cancel);
  box->setEscapeButton(QMessageBox::Cancel);
  connect(yes, &QPushButton::clicked, this, [this, folder] { session_->open_workspace(folder); });
  open_once(box);
}

void MainWindow::fill_recent(QMenu* menu) {
  menu->clear();
  QStringList there;
  for (const QString& folder : settings_->value("window/recent").toStringList())
    if (QFileInfo(folder).isDir()) there += folder;
  settings_->setValue("window/recent", there);
  for (const QString& folder : there) {
    QString shown = folder;
    if (shown.startsWith(QDir::homePath() + "/")) shown.replace(0, QDir::homePath().size(), "~");
    QAction* action =
        menu->addAction(shown.replace('&', "&&"), this, [this, folder] { session_->open_workspace(folder); });
    action->setStatusTip(harmless(tr("Open the workspace %1").arg(folder)));
    action->setEnabled(QDir::cleanPath(folder) != QDir::cleanPath(session_->folder()));
  }
  if (there.isEmpty()) menu->addAction(tr("No workspace has been opened yet"))->setEnabled(false);
}

void MainWindow::show_about() {
  auto* dialog = with_id(new QDialog(this), "about");
  dialog->setWindowTitle(tr("About Warpwright"));
  dialog->resize(560, 460);
  auto* column = new QVBoxLayout(dialog);
  auto* text = new HtmlView(dialog);
  name_it(text, tr("Version and licences"));
  const QList<QStringList> parts = {{"Qt", qVersion(), "LGPL-3.0"},
                                    {"QScintilla", QSCINTILLA_VERSION_STR, "GPL-3.0"},
                                    {"QCustomPlot", {}, "GPL-3.0-or-later"},
                                    {"QtKeychain", {}, "BSD-3-Clause"},
                                    {"SQLite", {}, "public domain"},
                                    {"libsodium", {}, "ISC"},
                                    {"JSON for Modern C++, {fmt}", {}, "MIT"},
                                    {"Eigen", {}, "MPL-2.0"},
                                    {"tl::expected", {}, "CC0-1.0"},
                                    {"libcurl", {}, "curl"},
                                    {"NVRTC, nvJitLink, CUDA driver", {}, tr("NVIDIA's, loaded if installed")}};
  TrustedHtml table;
  for (const QStringList& part : parts)
    table += html("<tr><td>%1&nbsp;&nbsp;</td><td>%2&nbsp;&nbsp;</td><td>%3</td></tr>", part[0],
                  part[1].isEmpty() ? tr("as installed") : part[1], part[2]);
  text->show_html(html("<h3>%1</h3><p>%2</p><p>%3</p><p>%4</p><table>%5</table>",
                       tr("Warpwright %1").arg(QCoreApplication::applicationVersion()),
                       tr("A workbench for exploring GPU kernels."),
                       tr("The window (workbench and widgets) is GPL-3.0-or-later; the engine, the plugins, the CLI "
                          "and the worker are Apache-2.0."),
                       tr("It uses:"), table));
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  column->addWidget(text);
  column->addWidget(buttons);
  open_once(dialog);
}

}  // namespace ww::widgets
