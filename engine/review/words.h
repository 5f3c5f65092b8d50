// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include "review/decision.h"

namespace ww::review {

std::string word_of(ReviewState state);  // what people read: "signed", "not decided"; JSON has the state's own name

}  // namespace ww::review
