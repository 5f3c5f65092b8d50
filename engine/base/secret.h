// SPDX-License-Identifier: Apache-2.0
// A key in memory: held in guarded pages that are not swapped and not dumped (libsodium), wiped when it goes. It cannot
// be printed or stored by accident: its text is reached by reveal() alone. Copies share one text. Thread-safe.
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
  std::string_view reveal() const;  // only where it goes onto the wire; never into a string that outlives the call
  // Three first characters and the length: "sk-… (51 characters)"; shorter than 12 characters: the length alone; "none"
  // of an empty one.
  std::string hint() const;

 private:
  struct Pages;
  std::shared_ptr<const Pages> pages_;
};

// From now on this process writes no core file and cannot be read by a debugger of the same user. Called when the first
// key is read: copies of a key pass through the buffers of HTTP and TLS, which are not wiped.
void forbid_dumps();

// Replaces every known secret in the text, and each of its pieces of at least 12 characters, by "[key]": the second
// line of defence of logs, stored replies and messages. Every non-empty Secret of at least 8 characters is known while
// it lives. Shorter pieces and other encodings are not found.
std::string redact(std::string_view text);
// The same of a text that broke off: its end may be the beginning of a secret, from six characters on.
std::string redact_broken(std::string_view text);

}  // namespace ww
