// SPDX-License-Identifier: Apache-2.0
// A key in memory, in guarded pages that are neither swapped nor dumped (libsodium), wiped on destruction. It cannot be
// printed or stored by accident: only reveal() returns its text. Copies share one text. Thread-safe.
#pragma once
#include <memory>
#include <string>
#include <string_view>

namespace ww {

class Secret {
 public:
  Secret() = default;  // empty
  explicit Secret(std::string_view text);
  bool empty() const;
  std::string_view reveal() const;  // only for sending; never copy into a string that outlives the call
  // The first three characters and the length: "sk-… (51 characters)"; only the length if shorter than 12; "none" if
  // empty.
  std::string hint() const;

 private:
  struct Pages;
  std::shared_ptr<const Pages> pages_;
};

// From now on this process writes no core file and cannot be debugged by the same user. Called when the first key is
// read, since copies of a key pass through the buffers of HTTP and TLS, which are not wiped.
void forbid_dumps();

// Replaces every known secret, as it is or as JSON or an address has it, at any depth, and each piece of at least 12
// characters, by "[key]": a second line of defence for logs, stored replies and messages. A Secret is known while it
// lives; one below 8 characters only where it stands alone, and if it is_recognisable. Shorter pieces are not found.
std::string redact(std::string_view text);
// The same for a truncated text: its end may be the first six or more characters of a secret.
std::string redact_broken(std::string_view text);

}  // namespace ww
