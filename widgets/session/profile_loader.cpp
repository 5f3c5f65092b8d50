// SPDX-License-Identifier: GPL-3.0-or-later
#include "session/profile_loader.h"
#include <QTimer>
#include "session/selection.h"
#include "session/session.h"

namespace ww::widgets {
namespace {

constexpr int most_profiles_kept = 64;

}  // namespace

ProfileLoader::ProfileLoader(ProfileFunction read, Session* session, Selection* selection, QObject* parent)
    : QObject(parent), read_(std::move(read)), session_(session), selection_(selection), soon_(new QTimer(this)) {
  soon_->setSingleShot(true);
  soon_->setInterval(0);
  connect(soon_, &QTimer::timeout, this, &ProfileLoader::load);
  connect(selection_, &Selection::current_changed, this, &ProfileLoader::reload);
  connect(selection_, &Selection::compared_changed, this, &ProfileLoader::reload);
  connect(session_, &Session::workspace_opened, this, [this] {
    known_.clear();
    reload();
  });
  connect(session_, &Session::gpu_changed, this, &ProfileLoader::reload);
  connect(session_, &Session::run_shown, this, &ProfileLoader::reload);
  connect(session_, &Session::events, this, [this](const std::vector<explore::Event>& batch) {
    for (const explore::Event& event : batch) {
      const auto* judged = std::get_if<explore::CandidateJudged>(&event);
      if (judged && (judged->row.id == selection_->current() || selection_->compared().contains(judged->row.id)))
        return reload();
    }
  });
}

void ProfileLoader::reload() {
  waiting_ = true;
  soon_->start();
}

void ProfileLoader::load() {
  std::vector<std::pair<std::int64_t, std::shared_ptr<const ProfileView>>> wanted;
  if (selection_->current() != 0) wanted.emplace_back(selection_->current(), known_.value(selection_->current()));
  for (const std::int64_t id : selection_->compared())
    if (id != selection_->current()) wanted.emplace_back(id, known_.value(id));
  const Stores stores = session_->stores();
  if (!stores || wanted.empty()) {
    job_.forget();
    waiting_ = false;
    profiles_.clear();
    emit profiles_loaded(profiles_);
    return;
  }
  job_.submit([this, stores, wanted = std::move(wanted), read = read_]() -> LatestJob::Deliver {
    Profiles list;
    for (const auto& [id, known] : wanted) {
      Result<std::shared_ptr<const ProfileView>> view = read_profile(read, stores, id, known);
      if (view) {
        list.push_back(std::move(*view));
        continue;
      }
      auto broken = std::make_shared<ProfileView>();
      broken->record.id = id;
      broken->name = "#" + std::to_string(number_of(id));
      broken->problem = view.error().text();
      list.push_back(std::move(broken));
    }
    return [this, list = std::move(list)] {
      waiting_ = false;
      profiles_ = list;
      if (known_.size() + static_cast<qsizetype>(list.size()) > most_profiles_kept) known_.clear();
      for (const auto& view : list)
        if (view->problem.empty()) known_[view->record.id] = view;
      emit profiles_loaded(profiles_);
    };
  });
}

}  // namespace ww::widgets
