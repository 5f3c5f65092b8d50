// SPDX-License-Identifier: Apache-2.0
// Kernels in normal form, for comparison: independent of comments, line information, the numbering of registers and
// labels, names and order of symbols, and white space.
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace ww::ptx {

// The text of each entry by name: tokens separated by one blank; its own name, parameters, registers, labels and
// variables numbered in order of appearance; the module's declarations that it uses appended. Accepts any text and
// reads as much as it can.
std::map<std::string, std::string> normalised_entries(std::string_view ptx);

}  // namespace ww::ptx
