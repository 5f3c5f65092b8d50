// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "generator/wrong_elements.h"

namespace ww::explore {

using generator::wrong_elements;

}  // namespace ww::explore
