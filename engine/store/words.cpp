// SPDX-License-Identifier: Apache-2.0
#include "store/words.h"

namespace ww::store {

std::string word_of(CandidateState state) { return state == CandidateState::accepted ? "proved" : enum_string(state); }

std::string word_of(ReviewKind kind) {
  switch (kind) {
    case ReviewKind::accepted: return "signed";
    case ReviewKind::rejected: return "refused";
    case ReviewKind::changes: return "requested changes";
    default: return enum_string(kind);
  }
}

std::string number_word(Provenance of) { return of == Provenance::measured ? "Time" : "Cost"; }

}  // namespace ww::store
