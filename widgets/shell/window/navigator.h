// SPDX-License-Identifier: GPL-3.0-or-later
// Goes to items of the workspace that may not be shown yet: a candidate of another run is shown once that run has been
// read.
#pragma once
#include <QObject>
#include <cstdint>
#include "session/actions/find_text.h"
#include "session/context.h"

namespace ww::widgets {

class Docks;

class Navigator : public QObject {
  Q_OBJECT
 public:
  Navigator(const Context& context, Docks* docks, QObject* parent);
  void open_run(std::int64_t run);
  void open_candidate(std::int64_t run, std::int64_t candidate, int line = 0);  // run 0: the shown one
  void open_found(const Found& found);

 signals:
  void op_wanted(const QString& phrase);
  void exchange_wanted(std::int64_t run, std::int64_t exchange);

 private:
  void arrive();
  Context context_;
  Docks* docks_;
  std::int64_t run_ = 0, candidate_ = 0, exchange_ = 0;
  int line_ = 0;
};

}  // namespace ww::widgets
