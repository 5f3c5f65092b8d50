// SPDX-License-Identifier: Apache-2.0
// Variables of the source in PTX that was compiled for debugging: DWARF 2 in the sections .debug_info, .debug_abbrev
// and .debug_loc, as NVVM writes it (DWARF 2.0.0, section 7; register names: PTX Writer's Guide to Interoperability).
// Locations that it does not know are left out; text that is no such section gives no variables.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include "ptx/types.h"

namespace ww::ptx {

struct DebugPlace {  // where a value is
  enum class Kind : std::uint8_t {
    register_,  // name: "%r1"
    address,    // `offset` bytes behind the symbol `name`, in local or shared memory
  } kind = Kind::register_;
  std::string name;
  std::int64_t offset = 0;
  // Instructions at lines of the text between these two, which are labels' lines.
  int after = 0, before = 0;
};

struct DebugVariable {
  std::string name;
  std::string type_name;   // "float", "unsigned int", "const float*", "float[16]"
  Type type = Type::none;  // of a number or pointer; none: any other
  bool is_parameter = false;
  int line = 0;               // of its declaration
  int after = 0, before = 0;  // its scope, as for places
  std::vector<DebugPlace> places;
};

struct DebugFunction {
  std::string name;                      // in the PTX
  std::vector<DebugVariable> variables;  // inner scopes after the outer ones
};

std::vector<DebugFunction> debug_functions(std::string_view ptx);

}  // namespace ww::ptx
