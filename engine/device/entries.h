// SPDX-License-Identifier: Apache-2.0
// The kernels of a PTX text and their parameters, read only from the ".entry" declarations: bodies are not read, so
// code that the SIMT machine does not support can still be launched on other devices (PTX ISA 9.0, section 5.1.6.2,
// "Kernel function parameters").
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>
#include "base/result.h"
#include "device/marshal.h"

namespace ww::device {

struct Entry {
  std::string name;
  std::vector<Parameter> parameters;
  std::size_t bytes = 0;  // of the parameter block
  int line = 0;           // of the PTX text, from 1
};

// The entries in text order, each name once. Code::parse with the line of a malformed declaration.
Result<std::vector<Entry>> read_entries(std::string_view ptx);

}  // namespace ww::device
