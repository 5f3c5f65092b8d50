// SPDX-License-Identifier: Apache-2.0
// A run as one HTML file that needs nothing else: no script, no font, no picture from outside; light and dark,
// printable. It is also well-formed XML. Every text of a person, a model or a compiler is escaped.
#pragma once
#include <cstdint>
#include <string>
#include "base/result.h"
#include "op/sentence/phrasebook.h"

namespace ww::store {
class Workspace;
}

namespace ww::report {

struct ReportOptions {
  const op::Library* library = nullptr;  // to show how the sentence was understood; none: the sentence alone
};

Result<std::string> html_report(store::Workspace& workspace, std::int64_t run, const ReportOptions& options = {});

}  // namespace ww::report
