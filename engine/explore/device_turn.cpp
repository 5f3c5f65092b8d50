// SPDX-License-Identifier: Apache-2.0
#include "explore/device_turn.h"
#include <algorithm>
#include <chrono>
#include <thread>
#include "base/device_name.h"
#include "base/files.h"

namespace ww::explore {

DeviceTurn::DeviceTurn(const std::string& device) {
  if (!is_gpu(device)) return;
  std::string name = device;  // "cuda:0"
  std::replace(name.begin(), name.end(), ':', '_');
  file_ = cache_dir() / "turns" / name;
}

DeviceTurn::Held DeviceTurn::take(const std::stop_token& stop) {
  Held held;
  if (file_.empty()) return held;
  held.here_ = std::unique_lock(mutex_);
  while (!stop.stop_requested()) {
    Result<FileLock> lock = FileLock::take(file_);
    if (lock) held.everywhere_ = std::move(*lock);
    if (lock || lock.error().code != Code::unavailable) break;  // no lock can be made: judge without
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return held;
}

}  // namespace ww::explore
