// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/baseline_profile.h"
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {

BaselineProfile::BaselineProfile(const Context& context, QObject* parent) : QObject(parent), context_(context) {
  connect(context.session, &Session::gpu_changed, this, [this] { wanted_ = -1; });  // the next find() reads it again
}

void BaselineProfile::take(const std::shared_ptr<const ProfileView>& found) {
  // A rejected candidate without numbers has no advice because nothing is known of it: nothing is new against it.
  const bool known = found && (simulated(*found) || measured(*found) || has_counters(*found));
  const std::shared_ptr<const ProfileView> view = known ? found : nullptr;
  if (view_ == view) return;
  view_ = view;
  emit changed();
}

void BaselineProfile::find(const Profiles& profiles) {
  if (profiles.empty()) return;
  const ProfileView& view = *profiles.front();
  const std::int64_t wanted = context_.selection->baseline();
  if (for_ == view.record.id && wanted_ == wanted) return;
  for_ = view.record.id;
  wanted_ = wanted;
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
