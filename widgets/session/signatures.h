// SPDX-License-Identifier: GPL-3.0-or-later
// Which candidates of the shown run a person has signed, for the table. GUI thread.
#pragma once
#include <QObject>
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

class Signatures : public QObject {
  Q_OBJECT
 public:
  explicit Signatures(const Context& context, QObject* parent = nullptr);

 private:
  void load();
  Context context_;
  LatestJob job_;
};

}  // namespace ww::widgets
