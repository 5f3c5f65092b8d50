// SPDX-License-Identifier: Apache-2.0
// Names of GPU architectures, as NVIDIA's compilers accept them: "sm_80", "sm_90a", "sm_100f".
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace ww {

struct Architecture {
  int capability = 0;  // compute capability as ten times the major plus the minor number: 80, 90, 121
  char suffix = 0;     // 'a': architecture-specific, from 90 on; 'f': family-specific, from 100 on; 0: neither
};
// The target where the device accepts any architecture, as the SIMT machine does.
inline constexpr const char* default_architecture = "sm_80";

// Empty if the name has another form.
std::optional<Architecture> read_architecture(std::string_view name);

std::string no_architecture(const std::string& name);  // the sentence that says so

}  // namespace ww
