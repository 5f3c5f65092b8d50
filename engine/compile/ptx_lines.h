// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ww::compile {

// PTX with its ".file" and ".loc" directives replaced by blanks, so that every line and column stays where it is: a PTX candidate is its own
// source, and lines of a file that nobody has would be taken for its own.
std::string without_line_information(std::string ptx);

}  // namespace ww::compile
