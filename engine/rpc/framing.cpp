// SPDX-License-Identifier: Apache-2.0
#include "rpc/framing.h"
#include <algorithm>
#include <charconv>
#include "base/ascii.h"

namespace ww::rpc {
namespace {

bool is_length_field(std::string_view name) {
  constexpr std::string_view wanted = "content-length";
  return std::equal(name.begin(), name.end(), wanted.begin(), wanted.end(),
                    [](char a, char b) { return ascii_lower(a) == b; });
}

bool is_field_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (ascii_lower(c) >= 'a' && ascii_lower(c) <= 'z');
  });
}

}  // namespace

std::string frame(std::string_view body) {
  std::string out = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  out.append(body);
  return out;
}

Result<std::optional<std::string>> FrameReader::broken(std::string why) {
  error_ = Error{Code::corrupt, "what was received does not follow the protocol", std::move(why)};
  buffer_.clear();
  at_ = 0;
  return fail(*error_);
}

Result<std::optional<std::string>> FrameReader::next() {
  if (error_) return fail(*error_);
  if (!length_) {
    const std::string_view rest = std::string_view(buffer_).substr(at_);
    const std::size_t end = rest.substr(0, std::min(rest.size(), max_header)).find("\r\n\r\n");
    if (end == std::string_view::npos) {
      if (rest.size() >= max_header)
        return broken("no end of a header within " + std::to_string(max_header) + " bytes");
      // Garbage is called so at its first complete line, or when a line's start cannot be a field's name.
      const std::size_t line = rest.find('\n');
      const std::string_view first = rest.substr(0, line);
      if (line != std::string_view::npos && first.find(':') == std::string_view::npos)
        return broken("a header line without ':'");
      if (!is_field_name(first.substr(0, first.find_first_of(":\r"))))
        return broken("a header field with an invalid name");
      return std::optional<std::string>();
    }
    std::string_view header = rest.substr(0, end);
    std::optional<std::size_t> length;
    while (!header.empty()) {
      const std::size_t stop = std::min(header.find("\r\n"), header.size());
      const std::string_view line = header.substr(0, stop);
      header.remove_prefix(std::min(header.size(), stop + 2));
      const std::size_t colon = line.find(':');
      if (colon == std::string_view::npos) return broken("a header line without ':'");
      if (!is_field_name(line.substr(0, colon))) return broken("a header field with an invalid name");
      if (!is_length_field(line.substr(0, colon))) continue;
      const std::string_view digits = trimmed(line.substr(colon + 1));
      std::size_t value = 0;
      const auto [stopped, bad] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (digits.empty() || bad != std::errc() || stopped != digits.data() + digits.size())
        return broken("a Content-Length that is not a number");
      if (length && *length != value) return broken("two different values of Content-Length");
      length = value;
    }
    if (!length) return broken("a header without Content-Length");
    if (*length > body_limit_)
      return broken("a message of " + std::to_string(*length) + " bytes; at most " + std::to_string(body_limit_) +
                    " are accepted");
    length_ = length;
    at_ += end + 4;
  }
  if (buffer_.size() - at_ < *length_) return std::optional<std::string>();
  std::string body = buffer_.substr(at_, *length_);
  at_ += *length_;
  length_.reset();
  if (at_ == buffer_.size() || at_ > (std::size_t{1} << 16)) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  return std::optional<std::string>(std::move(body));
}

}  // namespace ww::rpc
