// SPDX-License-Identifier: Apache-2.0
#include "op/spec.h"

namespace ww::op {

const Param* find_param(const Spec& spec, const std::string& name) {
  for (const std::vector<Param>* list : {&spec.inputs, &spec.outputs, &spec.temporaries})
    for (const Param& p : *list)
      if (p.name == name) return &p;
  return nullptr;
}

const Equation* find_equation(const Spec& spec, const std::string& target) {
  for (const Equation& e : spec.equations)
    if (e.target == target) return &e;
  return nullptr;
}

}  // namespace ww::op
