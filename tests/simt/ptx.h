// SPDX-License-Identifier: Apache-2.0
// Small PTX programs for tests: one kernel around a body, and one instruction applied to arrays.
#pragma once
#include <string>

namespace ww::simt::test {

inline std::string module_text(const std::string& content, const std::string& target = "sm_80") {
  return ".version 9.0\n.target " + target + "\n.address_size 64\n" + content;
}

// Kernel k(out, in): %r0 is the thread's index, %o and %i the addresses of its elements of 16 bytes.
inline std::string kernel_text(const std::string& declarations, const std::string& body,
                               const std::string& scope = "") {
  return module_text(scope +
                     ".visible .entry k(.param .u64 pout, .param .u64 pin)\n{\n"
                     ".reg .pred %p<9>;\n.reg .b32 %r<40>;\n.reg .b64 %o, %i, %t, %rd<20>;\n.reg .f32 %f<20>;\n.reg "
                     ".f64 %fd<9>;\n.reg .b16 %h<20>;\n" +
                     declarations +
                     "ld.param.u64 %o, [pout];\nld.param.u64 %i, [pin];\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %t, %r0, "
                     "16;\nadd.s64 %o, %o, %t;\nadd.s64 %i, %i, %t;\n" +
                     body + "\nret;\n}\n");
}

}  // namespace ww::simt::test
