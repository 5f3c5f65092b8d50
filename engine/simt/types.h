// SPDX-License-Identifier: Apache-2.0
// PTX types under the names that the machine uses.
#pragma once
#include "ptx/types.h"

namespace ww::simt {

using ptx::Type;
using ptx::type_bytes;
using ptx::type_from_name;
using ptx::type_is_float;
using ptx::type_is_signed;
using ptx::type_name;

}  // namespace ww::simt
