// SPDX-License-Identifier: Apache-2.0
// The files of resources/export.
#pragma once
#include <map>
#include <string>

namespace ww::exporter {

// Each "{{name}}" becomes its value; values are not looked into.
std::string filled(const std::string& text, const std::map<std::string, std::string>& values);

}  // namespace ww::exporter
