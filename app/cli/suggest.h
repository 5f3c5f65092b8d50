// SPDX-License-Identifier: Apache-2.0
// What a mistyped command or option was meant to be.
#pragma once
#include <CLI/App.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ww::cli {

// After a failed parse: a sentence on the first argument that no command takes, with the name near it. Empty where
// every argument was taken.
std::string unknown_argument(const CLI::App& app);

// The name that `given` is nearest to by edit distance; empty where none is near.
std::string nearest_name(std::string_view given, const std::vector<std::string>& names);

}  // namespace ww::cli
