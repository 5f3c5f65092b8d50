// SPDX-License-Identifier: Apache-2.0
// What the spec says of one element that a stepped kernel reads or writes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "op/spec.h"
#include "stepping/subject.h"

namespace ww::stepping {

struct SpecElement {
  std::string tensor;
  std::vector<std::int64_t> index;                          // one number a dimension
  std::vector<std::pair<std::string, std::int64_t>> names;  // the equation's indices with their values
  std::string equation;                                     // "y[r, c] = max(x[r, c], 0)"; empty: of an input
  std::string here;                                         // "y[1, 3] = max(x[1, 3], 0)"
  int line = 0;                                             // of the equation in the spec's text
};

// `element`: of the buffer, row by row. Nothing: the spec has no such tensor, or the tensor no such element.
std::optional<SpecElement> spec_element(const op::Spec& spec, const Prepared& prepared, const std::string& buffer,
                                        std::int64_t element);

// The difference from the reference for each element of an output, in multiples of what the gate tolerates: at most 1
// is right; NaN: not compared. `content`: hex. Errors: no output of this name or size, those of the reference.
Result<std::vector<double>> errors_of(const SteppedLaunch& subject, const Prepared& prepared, const std::string& buffer,
                                      const std::string& content, std::stop_token stop = {});

}  // namespace ww::stepping
