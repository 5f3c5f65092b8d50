// SPDX-License-Identifier: GPL-3.0-or-later
// Fills the profiler panels' view of a candidate from the store. Any thread, several at a time.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include "base/result.h"
#include "session/profile_view.h"

namespace ww::explore {
struct Ground;
}

namespace ww::widgets {

class ProfileReader {
 public:
  ~ProfileReader();
  // `known` is given back where neither verdict nor measurements have changed since; it may be null.
  Result<std::shared_ptr<const ProfileView>> read(store::Workspace& workspace, std::int64_t candidate,
                                                  const std::shared_ptr<const ProfileView>& known);

 private:
  struct Rules;
  struct Gpu {
    std::optional<profile::DeviceDetails> details;
    std::optional<profile::Ceilings> ceilings;
  };
  std::shared_ptr<const Rules> rules();
  // What measurements of this workspace say of that GPU, whoever they are of.
  Gpu facts_of(store::Workspace& workspace, const std::string& gpu, const std::string& driver);
  std::mutex mutex_;
  std::shared_ptr<const Rules> rules_;
  std::map<std::string, Gpu> gpus_;  // those that were found, by folder, GPU and driver
};

}  // namespace ww::widgets
