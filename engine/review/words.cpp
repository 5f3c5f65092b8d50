// SPDX-License-Identifier: Apache-2.0
#include "review/words.h"

namespace ww::review {

std::string word_of(ReviewState state) {
  switch (state) {
    case ReviewState::open: return "not decided";
    case ReviewState::accepted: return "signed";
    case ReviewState::countersigned: return "signed and countersigned";
    case ReviewState::rejected: return "refused";
    default: return enum_string(state);
  }
}

}  // namespace ww::review
