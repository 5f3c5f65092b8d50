// SPDX-License-Identifier: Apache-2.0
#include "evidence/surroundings.h"
#include <utility>

namespace ww::evidence {

std::string surroundings_text(const Surroundings& s, Varied answer) {
  std::string text;
  for (const auto& [value, what] : {std::pair(s.addresses, "addresses of tensors"),
                                    {s.contents, "initial contents of outputs"},
                                    {s.shared, "initial contents of shared memory"},
                                    {s.identities, "identities"},
                                    {s.clocks, "clocks"},
                                    {s.blocks, "order of blocks"},
                                    {s.warps, "order of warps"},
                                    {s.lanes, "order of lanes"},
                                    {s.atomics, "order of atomic operations"},
                                    {s.approximations, "errors of approximate instructions"},
                                    {s.l2, "L2 cache"},
                                    {s.load, "other kernels at the same time"}})
    if (value == answer) text += (text.empty() ? "" : ", ") + std::string(what);
  return text;
}

std::vector<std::string> surroundings_texts(const Surroundings& s) {
  std::vector<std::string> texts;
  const auto add = [&](std::string start, Varied answer) {
    if (const std::string what = surroundings_text(s, answer); !what.empty()) texts.push_back(start + what);
  };
  add("Varied in " + std::to_string(s.runs) + (s.runs == 1 ? " run: " : " runs: "), Varied::yes);
  add("Not varied: ", Varied::no);
  add("Not known whether varied: ", Varied::unknown);
  return texts;
}

}  // namespace ww::evidence
