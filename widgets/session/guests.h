// SPDX-License-Identifier: GPL-3.0-or-later
// Candidates of workspaces that are not open, so that they can be compared with those of the open one. A guest's id is
// negative and made of its workspace's place in a list and its number there; it is valid in one window. Thread-safe.
#pragma once
#include <QString>
#include <QStringList>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>
#include "store/workspace.h"

namespace ww::widgets {

inline bool is_guest(std::int64_t candidate) { return candidate < 0; }
std::int64_t number_of(std::int64_t candidate);  // in its own workspace, as it is shown

struct Stored {  // where a candidate is stored
  std::shared_ptr<store::Workspace> workspace;
  std::int64_t candidate = 0;
};

class Guests {
 public:
  std::int64_t id_of(const QString& folder, std::int64_t candidate);
  QString folder_of(std::int64_t candidate) const;                              // empty: no guest
  Result<Stored> open(std::int64_t candidate);                                  // for reading; not on the GUI thread
  std::int64_t seen_from(const QString& folder, std::int64_t candidate) const;  // its id when that workspace is open

 private:
  struct Place {
    QString folder;
    std::shared_ptr<store::Workspace> workspace;  // null: not opened yet
  };
  mutable std::mutex mutex_;
  std::vector<Place> places_;
};

// The open workspace with its guests. A value for loaders on their own threads.
struct Stores {
  std::shared_ptr<store::Workspace> own;  // null: none is open
  std::shared_ptr<Guests> guests;
  explicit operator bool() const { return own != nullptr; }
  Result<Stored> of(std::int64_t candidate) const;
};

}  // namespace ww::widgets
