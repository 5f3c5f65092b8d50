// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/tour/tour.h"
#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTimer>
#include <filesystem>
#include "session/actions/registry.h"
#include "base/files.h"
#include "session/models/candidate_model.h"
#include "session/selection.h"
#include "session/session.h"
#include "store/bundle.h"
#include "store/default_workspace.h"
#include "parts/theme/text.h"

namespace ww::widgets {

namespace {

struct UnpackedTour {
  TourSteps tour;
  QString folder, why;
};

// A session is unpacked beside its destination and moved there when complete; each bundle has its own folder.
UnpackedTour unpack_tour(const QString& steps, const QString& bundle, const QString& folder) {
  UnpackedTour made;
  QFile text(steps);
  if (!text.open(QIODevice::ReadOnly)) {
    made.why = Tour::tr("%1 cannot be read.").arg(steps);
    return made;
  }
  auto tour = read_tour(text.readAll());
  if (!tour) {
    made.why = qs(tour.error().message);
    return made;
  }
  made.tour = std::move(*tour);
  QFile file(bundle);
  QCryptographicHash hash(QCryptographicHash::Sha256);
  if (!file.open(QIODevice::ReadOnly) || !hash.addData(&file)) {
    made.why = Tour::tr("The session of the tour, %1, cannot be read.").arg(bundle);
    return made;
  }
  made.folder = folder + "/session-" + QString::fromLatin1(hash.result().toHex().left(8));
  if (QDir(made.folder).exists()) return made;
  const QString part = made.folder + ".part";
  QDir(part).removeRecursively();
  QDir().mkpath(folder);
  const auto imported =
      store::import_bundle(std::filesystem::path(bundle.toStdString()), std::filesystem::path(part.toStdString()));
  if (!imported)
    made.why = qs(imported.error().text());
  else if (!QDir().rename(part, made.folder) && !QDir(made.folder).exists())
    made.why = Tour::tr("The folder %1 cannot be made.").arg(made.folder);
  return made;
}

}  // namespace

Tour::Tour(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  const QString folder = exact((resources_dir() / "tour").string());
  set_files(folder + "/tour.json", folder + "/session.wwb");
  connect(context_.session, &Session::workspace_opened, this, [this](const QString& opened_folder) {
    if (opening_ && QDir::cleanPath(opened_folder) == QDir::cleanPath(session_folder_)) opened();
  });
  connect(context_.session, &Session::workspace_failed, this, [this](const QString&, const QString& why) {
    if (!opening_) return;
    opening_ = false;
    problem_ = why;
    emit changed();
  });
  connect(context_.session, &Session::state_changed, this, &Tour::return_to_own);
  connect(context_.session, &Session::run_shown, this, [this](const std::shared_ptr<const RunView>& run) {
    if (run && on()) QTimer::singleShot(0, this, &Tour::arrive);  // after all other receivers
  });
  connect(context_.session, &Session::candidate_loaded, this, [this](const std::shared_ptr<const CandidateView>& view) {
    if (view && view->record.id == pointed_ && on()) {
      const QStringList lines = exact(view->record.text).split('\n');
      pointed_ = 0;
      for (int i = 0; i < lines.size(); ++i)
        if (lines[i].contains(current()->line_with)) {
          context_.selection->choose_line(i + 1);
          break;
        }
      if (!current()->dock.isEmpty()) show_panel();
    }
  });
}

QString Tour::folder() { return QStandardPaths::writableLocation(QStandardPaths::AppLocalDataLocation) + "/tour"; }

bool Tour::owns(const QString& workspace) {
  return QDir::cleanPath(workspace).startsWith(QDir::cleanPath(folder()) + '/');
}

void Tour::set_files(const QString& steps, const QString& bundle) {
  steps_file_ = steps;
  bundle_file_ = bundle;
}

void Tour::start(int step) {
  if (opening_) return;
  problem_.clear();
  if (context_.session->running()) {
    problem_ = tr("A run is in progress. The tour opens a separate workspace: start the tour once the run has ended.");
    emit changed();
    return;
  }
  wanted_ = step;
  return_wanted_ = false;
  opening_ = true;
  emit changed();
  job_.submit([this, steps = steps_file_, bundle = bundle_file_, place = folder()]() -> LatestJob::Deliver {
    UnpackedTour made = unpack_tour(steps, bundle, place);
    return [this, made = std::move(made)] {
      if (!made.why.isEmpty()) {
        opening_ = false;
        problem_ = tr("The tour cannot start: %1").arg(made.why);
        emit changed();
        return;
      }
      tour_ = made.tour;
      session_folder_ = made.folder;
      const QString open = context_.session->folder();
      if (QDir::cleanPath(open) == QDir::cleanPath(session_folder_)) {
        opened();
        return;
      }
      if (!open.isEmpty() && !owns(open)) {
        before_ = open;
        emit begins();
      }
      context_.session->open_workspace(session_folder_);
    };
  });
}

void Tour::opened() {
  opening_ = false;
  context_.registry->trigger("layout.learn");
  go(wanted_);
}

void Tour::go(int step) {
  if (step < 0 || step >= count()) return;
  step_ = step;
  const TourStep& at = *current();
  std::int64_t run = tour_.first_run;
  for (int i = 0; i <= step; ++i)
    if (tour_.steps[static_cast<std::size_t>(i)].run != 0) run = tour_.steps[static_cast<std::size_t>(i)].run;
  if (!at.layout.isEmpty()) context_.registry->trigger("layout." + at.layout);
  missing_.clear();
  if (context_.session->shown_run() != run)
    context_.session->show_run(run);
  else
    arrive();
  emit changed();
}

void Tour::arrive() {
  if (!on()) return;
  const TourStep& at = *current();
  missing_.clear();
  pointed_ = 0;
  if (!at.candidate.isEmpty()) {
    const std::int64_t id = find(at.candidate);
    if (id == 0) {
      missing_ = tr("The candidate of this step (%1) is not in the shown run.").arg(at.candidate);
    } else {
      if (!at.line_with.isEmpty()) pointed_ = id;
      if (id == context_.selection->current() && pointed_ != 0) context_.session->load_candidate(id);
      context_.selection->set_current(id);
    }
  }
  if (!at.baseline.isEmpty()) {
    const std::int64_t id = find(at.baseline);
    if (id != 0)
      context_.selection->set_baseline(id);
    else
      missing_ = tr("The candidate that this step compares with (%1) is not in the shown run.").arg(at.baseline);
  } else {
    context_.selection->set_baseline(0);
  }
  if (!at.dock.isEmpty()) {
    if (context_.registry->action("go." + at.dock))
      show_panel();
    else
      missing_ = tr("This build has no panel \"%1\".").arg(at.dock);
  }
  emit changed();
}

void Tour::show_panel() {
  context_.registry->trigger("go." + current()->dock);
  emit showed_panel();
}

std::int64_t Tour::find(const QString& hash) const {
  for (const CandidateModel::Row& row : context_.candidates->rows())
    if (qs(row.data.hash).startsWith(hash)) return row.data.id;
  return 0;
}

QString Tour::text() const {
  if (!on()) return {};
  QString text = current()->text;
  static const QRegularExpression place("\\{(score|name) ([0-9a-f]+)\\}");
  for (auto m = place.match(text); m.hasMatch(); m = place.match(text)) {
    QString value = tr("(not in the shown run)");
    for (const CandidateModel::Row& row : context_.candidates->rows())
      if (qs(row.data.hash).startsWith(m.captured(2))) {
        if (m.captured(1) == "name")
          value = QString("#%1").arg(row.data.id);
        else
          value = row.data.score ? QString("%1 %2 (%3)")
                                       .arg(QString::number(row.data.score->value, 'g', 4), qs(row.data.score->unit),
                                            enum_text(row.data.score->provenance))
                                 : tr("not measured");
      }
    text.replace(m.capturedStart(), m.capturedLength(), value);
  }
  return text;
}

void Tour::leave() {
  step_ = -1;
  missing_.clear();
  context_.selection->set_baseline(0);
  return_wanted_ = true;
  return_to_own();
  context_.registry->trigger("layout.explore");
  emit changed();
  emit left();
}

// A run that was begun in the tour's workspace ends there first.
void Tour::return_to_own() {
  if (!return_wanted_ || on() || opening_ || context_.session->running()) return;
  return_wanted_ = false;
  if (owns(context_.session->folder()))
    context_.session->open_workspace(
        QDir(before_).exists() && !before_.isEmpty() ? before_ : exact(store::default_workspace().string()));
}

}  // namespace ww::widgets
