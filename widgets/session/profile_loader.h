// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the profiles of the current candidate and of the compared ones, once for all panels. GUI thread; the store is
// read on a thread of its own.
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
  void reload();  // something was stored; what has not changed is not read anew

 signals:
  void profiles_loaded(const ww::widgets::Profiles& profiles);

 private:
  void load();
  ProfileFunction read_;
  Session* session_;
  Selection* selection_;
  QTimer* soon_;  // changes of a selection come together
  Profiles profiles_;
  QHash<qint64, std::shared_ptr<const ProfileView>> known_;  // of this workspace
  bool waiting_ = false;
  LatestJob job_;
};

}  // namespace ww::widgets
