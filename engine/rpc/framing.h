// SPDX-License-Identifier: Apache-2.0
// Messages on a byte stream: "Content-Length: N\r\n\r\n" and N bytes, as language servers do. Other header fields are
// allowed and ignored.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::rpc {

inline constexpr std::size_t max_header = 4 << 10;  // bytes
inline constexpr std::size_t max_body = 16 << 20;   // bytes; of what a worker sends
// Bytes of a request: it may hold the contents of a launch's buffers (sim/case_file.h), as hex.
inline constexpr std::size_t max_request = 256 << 20;

std::string frame(std::string_view body);

class FrameReader {
 public:
  explicit FrameReader(std::size_t body_limit = max_body) : body_limit_(body_limit) {}
  void feed(std::string_view bytes) { buffer_.append(bytes); }
  // The next complete body; empty while it is incomplete. An error (Code::corrupt) is final: the stream is out of sync.
  Result<std::optional<std::string>> next();
  bool empty() const { return at_ == buffer_.size(); }  // no partial message

 private:
  Result<std::optional<std::string>> broken(std::string why);
  const std::size_t body_limit_;
  std::string buffer_;
  std::size_t at_ = 0;                 // start of the unconsumed bytes
  std::optional<std::size_t> length_;  // of the body at at_, once its header was parsed
  std::optional<Error> error_;
};

}  // namespace ww::rpc
