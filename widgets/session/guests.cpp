// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/guests.h"
#include <QDir>
#include <algorithm>

namespace ww::widgets {

namespace {

constexpr int number_bits = 40;
constexpr std::int64_t number_mask = (std::int64_t{1} << number_bits) - 1;

std::size_t place_of(std::int64_t guest) { return static_cast<std::size_t>((-guest >> number_bits) - 1); }

}  // namespace

std::int64_t number_of(std::int64_t candidate) { return is_guest(candidate) ? -candidate & number_mask : candidate; }

std::int64_t Guests::id_of(const QString& folder, std::int64_t candidate) {
  const std::lock_guard lock(mutex_);
  const QString clean = QDir::cleanPath(folder);
  auto at = std::ranges::find(places_, clean, &Place::folder);
  if (at == places_.end()) at = places_.insert(places_.end(), {clean, nullptr});
  return -(((at - places_.begin() + 1) << number_bits) | (candidate & number_mask));
}

QString Guests::folder_of(std::int64_t candidate) const {
  if (!is_guest(candidate)) return {};
  const std::lock_guard lock(mutex_);
  const std::size_t place = place_of(candidate);
  return place < places_.size() ? places_[place].folder : QString();
}

std::int64_t Guests::seen_from(const QString& folder, std::int64_t candidate) const {
  return is_guest(candidate) && folder_of(candidate) == QDir::cleanPath(folder) ? number_of(candidate) : candidate;
}

Result<Stored> Guests::open(std::int64_t candidate) {
  const std::size_t place = place_of(candidate);
  Place at;
  {
    const std::lock_guard lock(mutex_);
    if (place >= places_.size()) return fail(Code::not_found, "the candidate's workspace is unknown");
    at = places_[place];
  }
  if (!at.workspace) {  // without the lock: the window's thread must not wait for a disk
    at.workspace =
        WW_TRY(store::Workspace::open(std::filesystem::path(at.folder.toStdString()), store::Workspace::Access::read));
    const std::lock_guard lock(mutex_);
    places_[place].workspace = at.workspace;
  }
  return Stored{at.workspace, number_of(candidate)};
}

Result<Stored> Stores::of(std::int64_t candidate) const {
  if (is_guest(candidate) && guests) return guests->open(candidate);
  if (!own) return fail(Code::not_found, "no workspace is open");
  return Stored{own, candidate};
}

}  // namespace ww::widgets
