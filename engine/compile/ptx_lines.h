// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace ww::compile {

// PTX with its ".file" and ".loc" directives replaced by blanks, so that every line and column stays where it is: a PTX
// candidate is its own source, and lines of a file that nobody has would be taken for its own.
std::string without_line_information(std::string ptx);

// For each line of the PTX (the first is at 0) the line of the candidate's text that it stands for, by ".loc"; 0: none
// is known. Of code inlined from a header, the place in the candidate that it was inlined to counts, as in the SIMT
// machine's counts.
std::vector<int> source_lines_of_ptx(std::string_view ptx, std::string_view own_file = "candidate.cu");

}  // namespace ww::compile
