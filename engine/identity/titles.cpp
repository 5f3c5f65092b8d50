// SPDX-License-Identifier: Apache-2.0
#include "identity/titles.h"

namespace ww::identity {

std::string tuning_text(const candidate::Candidate& c) {
  std::string text;
  for (const candidate::TuneAxis& axis : c.tune)
    if (axis.values.size() == 1)
      text += (text.empty() ? "" : ", ") + axis.name + " " + std::to_string(axis.values.front());
  return text;
}

std::string title_of(const candidate::Candidate& c) {
  const std::string tuning = tuning_text(c);
  if (tuning.empty()) return c.title;
  return c.title.empty() ? tuning : c.title + " (" + tuning + ")";
}

}  // namespace ww::identity
