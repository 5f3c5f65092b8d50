// SPDX-License-Identifier: GPL-3.0-or-later
// The profile of the current candidate's reference: the chosen baseline, else its parent. Read only if it is not among
// the shown profiles. A baseline of another op or shape is no reference. GUI thread.
#pragma once
#include "session/context.h"
#include "session/latest_job.h"

namespace ww::widgets {

enum class Unlike { no, op, size };
// What keeps the numbers of two candidates apart. What is unknown of them keeps nothing apart.
Unlike unlike(const ProfileView& candidate, const ProfileView& other);
QString unlike_text(const ProfileView& candidate, const ProfileView& other);  // "#3 computes relu, not gelu"; or empty
// With its consequence, as a sentence; empty: op and size are the same.
QString not_comparable(const ProfileView& candidate, const ProfileView& other);

class BaselineProfile : public QObject {
  Q_OBJECT
 public:
  BaselineProfile(const Context& context, QObject* parent);
  // Null: there is none, it is the current one itself, it is foreign, or nothing is known about it.
  const std::shared_ptr<const ProfileView>& view() const { return view_; }
  const QString& foreign() const { return foreign_; }  // not_comparable() of the baseline; empty: it is comparable
  void find(const Profiles& profiles);                 // of the first of them

 signals:
  void changed();

 private:
  void take(const std::shared_ptr<const ProfileView>& found);
  Context context_;
  std::shared_ptr<const ProfileView> view_, current_;
  QString foreign_;
  std::int64_t for_ = 0, wanted_ = -1;
  LatestJob job_;
};

}  // namespace ww::widgets
