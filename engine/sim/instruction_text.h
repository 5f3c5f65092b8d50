// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include "simt/module.h"

namespace ww::sim {

// As the machine sees it: "@%p1 ld.global.f32 %f1, [%rd4+16]".
std::string instruction_text(const simt::Function& function, const simt::Instruction& instruction);

}  // namespace ww::sim
