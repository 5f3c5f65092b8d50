// SPDX-License-Identifier: GPL-3.0-or-later
// Deletes a run of the workspace after a person has read what goes with it. The engine says why one is kept.
#pragma once
#include <QObject>
#include <cstdint>
#include "session/context.h"
#include "session/latest_job.h"
#include "store/deletion.h"

class QWidget;

namespace ww::widgets {

class RunDeletion : public QObject {
  Q_OBJECT
 public:
  RunDeletion(const Context& context, QWidget* window);
  void ask(std::int64_t run);

 signals:
  void deleted(std::int64_t run, const QString& summary);
  void refused(const QString& sentence);

 private:
  void confirm(const store::DeletedRun& contents);
  void remove(std::int64_t run);
  Context context_;
  QWidget* window_;
  LatestJob job_;
};

}  // namespace ww::widgets
