// SPDX-License-Identifier: Apache-2.0
// A judge's turn on a device. On a GPU one worker at a time judges, of all runs that share a cache folder, in this and
// other processes: two would disturb each other's timings. On the SIMT machine it is always everyone's turn.
#pragma once
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include "base/file_lock.h"

namespace ww::explore {

class DeviceTurn {
 public:
  explicit DeviceTurn(const std::string& device);
  class Held {  // until destroyed
    friend class DeviceTurn;
    std::unique_lock<std::mutex> here_;
    FileLock everywhere_;
  };
  Held take(const std::stop_token& stop);  // waits, until `stop` at most

 private:
  std::filesystem::path file_;  // empty: nothing to wait for
  std::mutex mutex_;
};

}  // namespace ww::explore
