// SPDX-License-Identifier: Apache-2.0
// Which bytes of a function's registers are used, and which registers are only copied on to memory: a load of these may
// find bytes that were never written, such as the padding of a struct.
#pragma once
#include <cstdint>
#include <vector>
#include "simt/module.h"

namespace ww::simt {

struct CopiedRegister {
  std::uint8_t needed = 0xff;  // bytes that something other than a copy uses
  bool carries = false;        // what is written of it is followed on to a store
  bool leaves = false;         // it may be stored outside the block's own memory
};

// By register.
std::vector<CopiedRegister> copied_registers(const Function& function);

}  // namespace ww::simt
