// SPDX-License-Identifier: Apache-2.0
// The folder of CUTLASS's headers, which CuTe is part of. Not part of the CUDA toolkit.
#pragma once
#include <array>
#include <filesystem>
#include <string_view>

namespace ww::compile {

constexpr const char* cutlass_variable = "WARPWRIGHT_CUTLASS";
constexpr std::array<std::string_view, 2> cutlass_folders{"cute", "cutlass"};  // below its include folder

// Is this the name of one of its headers, "cute/tensor.hpp"?
bool is_cutlass_name(std::string_view name);
// Its include folder, with links resolved; empty: not found. Searches $WARPWRIGHT_CUTLASS (a checkout, an unpacked
// wheel nvidia-cutlass or the include folder itself), or where that is unset cache_dir() / "cutlass".
std::filesystem::path find_cutlass();
// The file of a header below `include`; empty: it is not there, or a link leads out of the two folders.
std::filesystem::path cutlass_file(const std::filesystem::path& include, std::string_view name);

}  // namespace ww::compile
