// SPDX-License-Identifier: Apache-2.0
// The statement of a kernel that wrote a place in memory, and the thread that executed it.
#pragma once
#include <cstdint>
#include <string>
#include "base/describe.h"

namespace ww {

struct WriteSite {
  std::string kernel;
  int line = 0;  // in the candidate's text; 0: unknown
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};

  WW_FIELDS(WriteSite, kernel, (line, "of the candidate's text; 0: unknown"), block, thread)
};

}  // namespace ww
