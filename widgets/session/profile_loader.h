// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the profiles of the current candidate and of the compared ones, once for all panels. GUI thread; the store is
// read on a background thread.
#pragma once
#include <QHash>
#include <QObject>
#include "session/latest_job.h"
#include "session/services.h"

class QTimer;

namespace ww::widgets {

class Selection;
class Session;

class ProfileLoader : public QObject {
  Q_OBJECT
 public:
  ProfileLoader(ProfileFunction read, Session* session, Selection* selection, QObject* parent = nullptr);
  const Profiles& profiles() const { return profiles_; }
  bool busy() const { return waiting_; }
  void reload();  // after something was stored; unchanged profiles are not read again

 signals:
  void profiles_loaded(const ww::widgets::Profiles& profiles);

 private:
  void load();
  ProfileFunction read_;
  Session* session_;
  Selection* selection_;
  QTimer* soon_;  // batches changes of the selection
  Profiles profiles_;
  QHash<qint64, std::shared_ptr<const ProfileView>> known_;  // of this workspace
  bool waiting_ = false;
  LatestJob job_;
};

}  // namespace ww::widgets
