// SPDX-License-Identifier: Apache-2.0
// Parses server-sent events (WHATWG HTML, section 9.2) from chunks of any size. Handles all three line ends, BOM,
// comments, multi-line data, fields without a colon.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::http {

struct ServerEvent {
  std::string event, data, id;
};

class EventParser {
 public:
  static constexpr std::size_t max_event = std::size_t{16} << 20;  // bytes; a longer one is an error
  // Calls `on` for each complete event; returning false stops parsing (later bytes are ignored).
  Status feed(std::string_view bytes, const std::function<bool(const ServerEvent&)>& on);
  bool unfinished() const;  // bytes of an incomplete event are pending (not dispatched, as the standard requires)

 private:
  std::string line_, data_, event_, id_;
  bool after_cr_ = false, begun_ = false, stopped_ = false, has_data_ = false;
};

}  // namespace ww::http
