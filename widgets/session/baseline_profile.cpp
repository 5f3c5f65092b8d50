// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/baseline_profile.h"
#include "candidate/candidate.h"
#include "parts/theme/text.h"
#include "session/guests.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

namespace {

bool differ(const std::string& a, const std::string& b) { return !a.empty() && !b.empty() && a != b; }

}  // namespace

Unlike unlike(const ProfileView& candidate, const ProfileView& other) {
  if (differ(candidate::named_op(candidate.record.text), candidate::named_op(other.record.text))) return Unlike::op;
  return differ(candidate.case_name, other.case_name) ? Unlike::size : Unlike::no;
}

QString unlike_text(const ProfileView& candidate, const ProfileView& other) {
  const auto name = QStringLiteral("#%1").arg(number_of(other.record.id));
  const QString known = other.record.structure.empty() ? name : name + " " + qs(other.record.structure);
  switch (unlike(candidate, other)) {
    case Unlike::no: break;
    case Unlike::op:
      return BaselineProfile::tr("%1 computes %2, not %3")
          .arg(known, qs(candidate::named_op(other.record.text)), qs(candidate::named_op(candidate.record.text)));
    case Unlike::size:
      return BaselineProfile::tr("%1 was judged at %2, not at %3")
          .arg(known, qs(other.case_name), qs(candidate.case_name));
  }
  return {};
}

QString not_comparable(const ProfileView& candidate, const ProfileView& other) {
  const QString text = unlike_text(candidate, other);
  return text.isEmpty() ? text : BaselineProfile::tr("%1: their numbers are not compared.").arg(text);
}

BaselineProfile::BaselineProfile(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context.session, &Session::gpu_changed, this, [this] { wanted_ = -1; });  // the next find() reads it again
  connect(context.session, &Session::workspace_opened, this, [this] {  // where numbers mean other candidates
    job_.forget();
    for_ = 0;
    wanted_ = -1;
    current_.reset();
    take(nullptr);
  });
}

void BaselineProfile::take(const std::shared_ptr<const ProfileView>& found) {
  // A rejected candidate without numbers has no advice because nothing is known of it: nothing is new against it.
  const bool known = found && (simulated(*found) || measured(*found) || has_counters(*found));
  const QString foreign = known && current_ ? not_comparable(*current_, *found) : QString();
  const std::shared_ptr<const ProfileView> view = known && foreign.isEmpty() ? found : nullptr;
  if (view_ == view && foreign_ == foreign) return;
  view_ = view;
  foreign_ = foreign;
  emit changed();
}

void BaselineProfile::find(const Profiles& profiles) {
  if (profiles.empty()) return;
  const ProfileView& view = *profiles.front();
  const std::int64_t wanted = context_.selection->baseline();
  if (for_ == view.record.id && wanted_ == wanted) return;
  for_ = view.record.id;
  wanted_ = wanted;
  current_ = profiles.front();
  for (const auto& other : profiles)
    if (other->record.id != view.record.id &&
        (wanted ? other->record.id == wanted
                : !view.record.parent.empty() && other->record.hash == view.record.parent)) {
      job_.forget();
      return take(other);
    }
  const Stores stores = context_.session->stores();
  if (!stores || wanted == view.record.id || (!wanted && view.record.parent.empty())) {
    job_.forget();
    return take(nullptr);
  }
  job_.submit([this, read = context_.services.profile, stores, wanted, of = view.record.id, run = view.record.run,
               parent = view.record.parent]() -> LatestJob::Deliver {
    std::int64_t id = wanted;
    if (!id)
      if (const Result<Stored> at = stores.of(of))
        if (const auto record = at->workspace->candidate_of(run, parent))
          id = is_guest(of) ? stores.guests->id_of(stores.guests->folder_of(of), record->id) : record->id;
    Result<std::shared_ptr<const ProfileView>> made =
        id ? read_profile(read, stores, id, nullptr) : std::shared_ptr<const ProfileView>();
    return [this, made = std::move(made)] { take(made ? *made : nullptr); };
  });
}

}  // namespace ww::widgets
