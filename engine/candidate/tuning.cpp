// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "candidate/candidate.h"

namespace ww::candidate {

Tuning first_tuning(const Candidate& candidate) {
  Tuning t;
  for (const TuneAxis& axis : candidate.tune) t[axis.name] = axis.values.front();
  return t;
}

std::vector<Tuning> tunings(const Candidate& candidate, std::size_t limit) {
  constexpr std::uint64_t most = std::uint64_t{1} << 62;
  std::uint64_t total = 1;
  for (const TuneAxis& axis : candidate.tune)
    total = total > most / axis.values.size() ? most : total * axis.values.size();
  const std::uint64_t count = std::min<std::uint64_t>(total, limit);
  std::vector<Tuning> out;
  for (std::uint64_t i = 0; i < count; ++i) {
    // The last axis varies fastest; if not all fit, takes every (total / count)-th combination.
    std::uint64_t n = static_cast<std::uint64_t>(static_cast<unsigned __int128>(i) * total / count);
    Tuning t;
    for (auto axis = candidate.tune.rbegin(); axis != candidate.tune.rend(); ++axis) {
      t[axis->name] = axis->values[n % axis->values.size()];
      n /= axis->values.size();
    }
    out.push_back(std::move(t));
  }
  return out;
}

Result<Candidate> pin(const Candidate& candidate, const Tuning& tuning) {
  for (const auto& given : tuning)
    if (std::none_of(candidate.tune.begin(), candidate.tune.end(),
                     [&](const TuneAxis& a) { return a.name == given.first; }))
      return fail(Code::invalid_argument, "the candidate does not tune '" + given.first + "'");
  std::string text = candidate.text;
  for (auto axis = candidate.tune.rbegin(); axis != candidate.tune.rend();
       ++axis) {  // from the end, so that spans stay valid
    const auto given = tuning.find(axis->name);
    if (given == tuning.end()) return fail(Code::invalid_argument, "no value is given for '" + axis->name + "'");
    if (std::find(axis->values.begin(), axis->values.end(), given->second) == axis->values.end())
      return fail(Code::invalid_argument, std::to_string(given->second) + " is not a value of '" + axis->name + "'");
    text.replace(axis->span.begin, axis->span.end - axis->span.begin, std::to_string(given->second));
  }
  return parse(text, candidate.language);
}

}  // namespace ww::candidate
