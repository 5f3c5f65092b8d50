// SPDX-License-Identifier: Apache-2.0
// How a worker of a test speaks: messages in frames on descriptors 0 and 1. Ends the process where talking on makes no
// sense.
#pragma once
#include <cstdlib>
#include <string>
#include <unistd.h>
#include "rpc/framing.h"
#include "rpc/messages.h"

namespace ww::support {

inline void send_bytes(const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t n = ::write(1, bytes.data() + done, bytes.size() - done);
    if (n <= 0) std::_Exit(9);
    done += static_cast<std::size_t>(n);
  }
}
inline void send(const std::string& body) { send_bytes(rpc::frame(body)); }

inline rpc::Message receive() {
  static rpc::FrameReader frames;
  for (;;) {
    const auto body = frames.next();
    if (!body) std::_Exit(8);
    if (*body) {
      auto message = rpc::read_message(**body);
      if (!message) std::_Exit(7);
      return std::move(*message);
    }
    char buffer[4096];
    const ssize_t n = ::read(0, buffer, sizeof buffer);
    if (n <= 0) std::_Exit(0);
    frames.feed({buffer, static_cast<std::size_t>(n)});
  }
}

}  // namespace ww::support
