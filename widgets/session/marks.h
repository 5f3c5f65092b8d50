// SPDX-License-Identifier: GPL-3.0-or-later
// Pins, notes, tags and trash: read from the workspace when a run is shown, written in the order in which they were
// set, none dropped. The table's model only has stored marks. Every change is a command on the undo stack; a command
// writes to its own workspace, whichever run is shown by then. GUI thread.
#pragma once
#include <QHash>
#include <QList>
#include <QObject>
#include <memory>
#include "session/models/candidate_marks.h"
#include "session/context.h"
#include "session/work_queue.h"
#include "store/states.h"

namespace ww::store {
class Workspace;
}

namespace ww::widgets {

class Marks : public QObject {
  Q_OBJECT
 public:
  using Ids = QList<std::int64_t>;
  explicit Marks(const Context& context, QObject* parent = nullptr);

  // Marks of the shown run, as they will be once all changes are stored.
  CandidateMarks of(std::int64_t candidate) const { return wanted_.value(candidate); }
  QStringList tags() const;  // in use, sorted
  bool busy() const { return queue_.busy(); }

  // Skips candidates that already match; does nothing if none is left.
  void pin(const Ids& candidates, bool on);
  void trash(const Ids& candidates, bool on);
  void tag(const Ids& candidates, const QString& tag, bool on);
  void set_note(std::int64_t candidate, const QString& text);  // empty: none

 signals:
  void changed(const QList<std::int64_t>& candidates);  // stored, and shown by the model; empty: all of the run
  void problem(const QString& text);

 private:
  friend class MarkCommand;
  void load();
  void command(const QString& text, const Ids& candidates, store::MarkKind kind, const QString& before,
               const QString& after);
  void write(const std::shared_ptr<store::Workspace>& workspace, const Ids& candidates, store::MarkKind kind,
             const QString& text, bool on);
  bool shows(const std::shared_ptr<store::Workspace>& workspace, std::int64_t candidate) const;

  Context context_;
  QHash<std::int64_t, CandidateMarks> wanted_;
  WorkQueue queue_;  // last member: writes pending marks before the others are destroyed
};

}  // namespace ww::widgets
