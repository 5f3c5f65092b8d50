// SPDX-License-Identifier: Apache-2.0
// One protection of the worker's sandbox, as the worker reports it.
#pragma once
#include <cstdlib>
#include <string>
#include <string_view>
#include "base/describe.h"

namespace ww {

struct Protection {
  static constexpr std::string_view described_as = "PROTECTION";
  std::string name;       // "landlock", "seccomp", "network_namespace", …
  bool active = false;    // all of it, as far as the running kernel supports it
  std::string effect;     // what it blocks
  std::string detail;     // what it does not block, or why it is inactive
  bool given_up = false;  // inactive by design: a GPU's driver cannot work with it
  WW_FIELDS(Protection, (name, "seccomp, landlock, network_namespace …"),
            (active, "all of it, as far as the kernel knows it"), (effect, "what it keeps out", defaulted),
            (detail, "what it leaves open, or why it is not active", defaulted),
            (given_up, "not active by design: a GPU's driver cannot work behind it", defaulted))
  bool missing() const { return !active && !given_up; }
};

// WARPWRIGHT_REQUIRE_SANDBOX=1 (anything but 0): nothing runs if a protection is missing.
inline bool sandbox_required() {
  const char* policy = std::getenv("WARPWRIGHT_REQUIRE_SANDBOX");
  return policy && *policy && std::string_view(policy) != "0";
}

}  // namespace ww
