// SPDX-License-Identifier: Apache-2.0
#include "corpus/explained.h"
#include <algorithm>
#include "base/described_json.h"
#include "base/files.h"

namespace ww::corpus {

Result<Explained> Explained::load() {
  const std::filesystem::path file = resources_dir() / "gate/explained.json";
  return json::read_text<Explained>(WW_TRY(read_file(file)), "'" + file.string() + "' cannot be read");
}

const ExplainedStage* Explained::stage(const std::string& name) const {
  const auto at = std::ranges::find_if(stages, [&](const auto& s) { return enum_name(s.stage) == name; });
  return at == stages.end() ? nullptr : &*at;
}

const ExplainedKind* Explained::kind(const std::string& name) const {
  const auto at = std::ranges::find(kinds, name, &ExplainedKind::name);
  return at == kinds.end() ? nullptr : &*at;
}

}  // namespace ww::corpus
