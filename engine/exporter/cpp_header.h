// SPDX-License-Identifier: Apache-2.0
// What resources/export/cpp needs of a plan beyond its names: the parts of a C++ header, as text.
#pragma once
#include <map>
#include <string>
#include "exporter/package.h"

namespace ww::exporter {

std::string cpp_name(const std::string& name);  // of a tensor, a size or an op; with "_" if C++ or the header takes it

std::string element_type(const std::string& dtype);  // of what a pointer points to; void: C++ has none

// `plan`: of HostLanguage::cpp. Code::unsupported if a type has no name in C++.
Result<std::map<std::string, std::string>> header_parts(const PlanText& plan, const std::string& ptx);

}  // namespace ww::exporter
