// SPDX-License-Identifier: Apache-2.0
// Names of the generators that the program treats specially, as stored in runs and candidates. Plugins add others.
#pragma once
#include <string_view>

namespace ww::generator {

inline constexpr std::string_view manual = "manual";  // proposes nothing: only judges the user's own candidates
inline constexpr std::string_view model = "model";    // language models
inline constexpr std::string_view search = "search";  // the search over equivalent programs
constexpr bool is_manual(std::string_view generator) { return generator == manual; }
constexpr bool asks_models(std::string_view generator) { return generator == model; }

}  // namespace ww::generator
