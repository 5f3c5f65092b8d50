// SPDX-License-Identifier: Apache-2.0
// The output of a compilation as bytes (CBOR), for the cache.
#pragma once
#include <optional>
#include <string>
#include "compile/compile.h"

namespace ww::compile {

std::string output_bytes(const Output& output);
// sets from_cache; nullopt: the bytes are not an output
std::optional<Output> output_of_bytes(const std::string& bytes);

}  // namespace ww::compile
