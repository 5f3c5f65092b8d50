// SPDX-License-Identifier: Apache-2.0
#include "mcp/wire.h"
#include <cerrno>
#include <unistd.h>
#include "base/json_reader.h"
#include "base/secret.h"
#include "base/visible.h"

namespace ww::cli::mcp {

Lines::Got Lines::next(std::string& line) {
  bool skipping = false;
  std::size_t searched = 0;
  line.clear();
  for (;;) {
    if (const std::size_t end = buffer_.find('\n', searched); end != std::string::npos) {
      const bool fits = !skipping && end <= json::max_size;
      if (fits) line.assign(buffer_, 0, end);
      buffer_.erase(0, end + 1);
      return fits ? Got::line : Got::too_long;
    }
    if (buffer_.size() > json::max_size) {
      buffer_.clear();
      skipping = true;
    }
    searched = buffer_.size();
    char bytes[1 << 16];
    const ssize_t n = ::read(fd_, bytes, sizeof bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Got::end;  // a line that broke off is no message
    buffer_.append(bytes, static_cast<std::size_t>(n));
  }
}

void Output::error(const Json& id, const RpcError& error) {
  Json e = {{"code", error.code}, {"message", error.message}};
  if (!error.data.is_null()) e["data"] = error.data;
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", e}});
}

void Output::send(const Json& message) {
  const std::string text = visible(redact(json::dump(message)), Escapes::json) + '\n';
  const std::lock_guard lock(mutex_);
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t n = ::write(fd_, text.data() + at, text.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}

}  // namespace ww::cli::mcp
