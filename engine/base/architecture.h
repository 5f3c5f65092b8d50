// SPDX-License-Identifier: Apache-2.0
// Names of GPU architectures, as NVIDIA's compilers take them: "sm_80", "sm_90a", "sm_100f".
#pragma once
#include <optional>
#include <string_view>

namespace ww {

struct Architecture {
  int capability = 0;  // ten times the major compute capability and the minor one: 80, 90, 121
  char suffix = 0;     // 'a': for this architecture alone; 'f': for its family; 0: none
};
// What is compiled for where the device takes any architecture, as the SIMT machine does.
inline constexpr const char* default_architecture = "sm_80";

// Nothing where the name has another form.
std::optional<Architecture> read_architecture(std::string_view name);

}  // namespace ww
