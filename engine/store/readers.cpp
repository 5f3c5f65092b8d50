// SPDX-License-Identifier: Apache-2.0
#include "store/readers.h"
#include "store/owner.h"

namespace ww::store {
namespace {
constexpr std::size_t most_idle = 4;
}

Reader::~Reader() {
  if (!db_ || !db_->prepare("COMMIT").run()) return;
  const std::lock_guard lock(owner_->mutex_);
  if (owner_->idle_.size() < most_idle) owner_->idle_.push_back(std::move(db_));
}

Result<Reader> Readers::take() {
  std::unique_ptr<Database> db;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      db = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  if (!db) {
    db = WW_TRY(Database::open(file_, access_));
    if (foreign_) WW_TRY(show_as_imported(*db));
  }
  WW_TRY(db->prepare("BEGIN").run());
  return Reader(*this, std::move(db));
}

}  // namespace ww::store
