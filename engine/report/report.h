// SPDX-License-Identifier: Apache-2.0
// A run as one self-contained HTML file: no scripts, no external fonts or images; light and dark, printable. Also
// well-formed XML. All text from users, models and compilers is escaped.
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
  const op::Library* library = nullptr;  // to show how the sentence was understood; null: only the sentence
};

Result<std::string> html_report(store::Workspace& workspace, std::int64_t run, const ReportOptions& options = {});

}  // namespace ww::report
