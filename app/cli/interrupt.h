// SPDX-License-Identifier: Apache-2.0
// Ctrl-C as a stop token.
#pragma once
#include <stop_token>
#include <thread>

namespace ww::cli {

// While it lives, the first Ctrl-C prints the message and requests a stop; the second ends the program at once. Only
// one may exist at a time.
class Interrupt {
 public:
  explicit Interrupt(const char* message);  // `message` must outlive it
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::jthread reader_;  // last member, since it uses the source
};

}  // namespace ww::cli
