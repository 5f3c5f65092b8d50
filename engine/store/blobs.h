// SPDX-License-Identifier: Apache-2.0
// Content-addressed files: <folder>/<first two digits>/<hash>. Written once, never changed; safe for concurrent
// writers.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::store {

Result<std::string> put_blob(const std::filesystem::path& folder, std::string_view bytes);  // on disk when it returns
// Code::not_found if it is missing, Code::invalid_argument if `hash` is not one, Code::corrupt if the content does not
// match.
Result<std::string> get_blob(const std::filesystem::path& folder, const std::string& hash);

}  // namespace ww::store
