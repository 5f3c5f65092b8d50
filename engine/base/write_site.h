// SPDX-License-Identifier: Apache-2.0
// The statement of a kernel that wrote a place in memory, and the thread that executed it.
#pragma once
#include <cstdint>
#include <string>

namespace ww {

struct WriteSite {
  std::string kernel;
  int line = 0;  // in the candidate's text; 0: unknown
  std::uint32_t block[3] = {0, 0, 0}, thread[3] = {0, 0, 0};

  template <class V>
  static void fields(V&& v) {
    v("kernel", &WriteSite::kernel);
    v("line", &WriteSite::line, "of the candidate's text; 0: unknown");
    v("block", &WriteSite::block);
    v("thread", &WriteSite::thread);
  }
};

}  // namespace ww
