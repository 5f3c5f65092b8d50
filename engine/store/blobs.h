// SPDX-License-Identifier: Apache-2.0
// Content-addressed files: <folder>/<first two digits>/<hash>. Written once, never changed; safe with several writers.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include "base/result.h"

namespace ww::store {

Result<std::string> put_blob(const std::filesystem::path& folder, std::string_view bytes);  // on disk when it returns
// Code::not_found when it is absent, Code::invalid_argument when `hash` is none, Code::corrupt when the content is not
// what was stored.
Result<std::string> get_blob(const std::filesystem::path& folder, const std::string& hash);

}  // namespace ww::store
