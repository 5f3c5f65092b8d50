// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include "op/phrasebook_build.h"

namespace ww::op::phrases {

std::vector<std::string> operand_questions(const std::vector<Item>& items, const std::vector<Use>& uses) {
  std::vector<std::string> out, names;
  std::size_t most = 0;
  bool equals = false;
  for (const Use& u : uses) most = std::max(most, u.op->spec.inputs.size());
  const Spec& first = uses[0].op->spec;
  const std::string takes = first.name + " takes " + std::to_string(first.inputs.size()) +
                            (first.inputs.size() == 1 ? " tensor" : " tensors");
  for (const Item& it : items) {
    equals = equals || it.text == "=";
    if (it.letter && std::find(names.begin(), names.end(), it.written) == names.end()) names.push_back(it.written);
    if (it.count == 0) continue;
    const bool fits =
        std::any_of(uses.begin(), uses.end(), [&](const Use& u) { return u.op->spec.inputs.size() == it.count; });
    if (!fits) out.push_back("'" + it.written + "' does not fit: " + takes + ".");
  }
  if (uses.size() == 1 && names.size() > most + (equals ? 1 : 0))
    out.push_back("The sentence names " + std::to_string(names.size()) + " tensors, but " + takes + ".");
  for (std::size_t k = 0; k + 1 < uses.size(); ++k) {
    const auto [a, b] = std::minmax(uses[k].item, uses[k + 1].item);
    if (b == a + 1 && uses[k].op == uses[k + 1].op)
      out.push_back("'" + uses[k].op->spec.name + "' is written twice; join the ops by 'then' if both are meant.");
  }
  return out;
}

}  // namespace ww::op::phrases
