// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>

namespace ww {

// A cache of expensive results by name, for later calls or processes. Entries may disappear at any time. Thread-safe.
class ResultCache {
 public:
  virtual ~ResultCache() = default;
  virtual std::optional<std::string> load(const std::string& name) = 0;
  virtual void store(const std::string& name, const std::string& bytes) = 0;
};

}  // namespace ww
