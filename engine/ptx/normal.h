// SPDX-License-Identifier: Apache-2.0
// Kernels in the form in which they are compared: what has no meaning (comments, line information, the numbering of
// registers and labels, names and order of symbols, white space) is the same in all.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace ww::ptx {

// The text of each entry by its name: tokens with one blank between them; its own name, parameters, registers, labels
// and variables numbered in order of appearance; what it uses of the module appended. Any text is read as far as it
// can.
std::map<std::string, std::string> normalised_entries(std::string_view ptx);

}  // namespace ww::ptx
