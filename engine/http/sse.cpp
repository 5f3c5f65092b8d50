// SPDX-License-Identifier: Apache-2.0
#include "http/sse.h"
#include <algorithm>

namespace ww::http {

Status EventParser::feed(std::string_view bytes, const std::function<bool(const ServerEvent&)>& on) {
  while (!bytes.empty() && !stopped_) {
    if (after_cr_ && bytes.front() == '\n') bytes.remove_prefix(1);
    after_cr_ = false;
    const std::size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    if (line_.size() + data_.size() + end > max_event) {
      stopped_ = true;
      return fail(Code::corrupt, "The stream contains an event longer than 16 MiB");
    }
    line_.append(bytes.substr(0, end));
    if (end == bytes.size()) return {};
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    std::string_view line = line_;
    if (!begun_ && line.compare(0, 3, "\xEF\xBB\xBF") == 0) line.remove_prefix(3);
    begun_ = true;
    if (line.empty()) {
      if (has_data_) {
        ServerEvent event{std::move(event_), std::move(data_), id_};
        data_.clear(), event_.clear(), has_data_ = false;
        line_.clear();
        if (!on(event)) stopped_ = true;
      } else {
        event_.clear();
      }
    } else {
      const std::size_t colon = std::min(line.find(':'), line.size());
      const std::string_view field = line.substr(0, colon);
      std::string_view value = line.substr(std::min(colon + 1, line.size()));
      if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
      if (field == "data") {
        if (has_data_) data_ += '\n';
        data_.append(value);
        has_data_ = true;
      } else if (field == "event") {
        event_ = value;
      } else if (field == "id" && value.find('\0') == value.npos) {
        id_ = value;
      }
    }
    line_.clear();
  }
  return {};
}

bool EventParser::unfinished() const {
  return !stopped_ && (has_data_ || !event_.empty() || (!line_.empty() && line_[0] != ':'));
}

}  // namespace ww::http
