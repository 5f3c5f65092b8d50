// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a candidate's PTX and SASS listings off the GUI thread; the latest request wins.
#pragma once
#include <QObject>
#include "parts/editor/listing.h"
#include "session/context.h"
#include "session/latest_job.h"
#include "session/session.h"

namespace ww::widgets {

class CodeListings : public QObject {
  Q_OBJECT
 public:
  explicit CodeListings(const Context& context, QObject* parent = nullptr) : QObject(parent), context_(context) {}
  void make_ptx(const std::shared_ptr<const CandidateView>& candidate);   // ptx_made() follows
  void make_sass(const std::shared_ptr<const CandidateView>& candidate);  // sass_made() follows
  void forget();

 signals:
  void ptx_made(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing);
  void sass_made(std::int64_t candidate, const std::shared_ptr<const ww::widgets::Listing>& listing,
                 const QString& why_not);  // null: with the reason

 private:
  Context context_;
  LatestJob ptx_, sass_;
};

}  // namespace ww::widgets
