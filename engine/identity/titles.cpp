// SPDX-License-Identifier: Apache-2.0
#include "identity/titles.h"

namespace ww::identity {

store::Tuning tuning_of(const candidate::Candidate& c) {
  store::Tuning tuning;
  for (const candidate::TuneAxis& axis : c.tune)
    if (axis.values.size() == 1) tuning.emplace_back(axis.name, axis.values.front());
  return tuning;
}

std::string tuning_text(const store::Tuning& tuning) {
  std::string text;
  for (const auto& [name, value] : tuning) text += (text.empty() ? "" : ", ") + name + " " + std::to_string(value);
  return text;
}

std::string title_of(const candidate::Candidate& c) {
  const std::string tuning = tuning_text(tuning_of(c));
  if (tuning.empty()) return c.title;
  return c.title.empty() ? tuning : c.title + " (" + tuning + ")";
}

}  // namespace ww::identity
