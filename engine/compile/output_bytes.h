// SPDX-License-Identifier: Apache-2.0
// The output of a compilation as bytes (CBOR), for the cache.
#pragma once
#include <optional>
#include <string>
#include "compile/compile.h"

namespace ww::compile {

std::string output_bytes(const Output& output);
std::optional<Output> output_of_bytes(const std::string& bytes);  // from_cache is set; nullopt: they are no output

}  // namespace ww::compile
