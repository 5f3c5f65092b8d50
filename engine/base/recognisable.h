// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>

namespace ww {

// Whether a text of any length is so unlike words and numbers that it can be taken out wherever it stands: it has three
// characters or more, and letters beside digits or other characters.
bool is_recognisable(std::string_view text);
// Whether redact() finds a secret with this text.
bool is_redacted(std::string_view secret);

}  // namespace ww
