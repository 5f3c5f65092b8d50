// SPDX-License-Identifier: Apache-2.0
// Reproduces a failure of a judgement by running one input set of one case alone.
#pragma once
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include "base/describe.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "gate/gate.h"

namespace ww::gate {

struct OneCase {
  op::Binding binding;
  op::Distribution distribution = op::Distribution::normal;
  std::uint64_t seed = 0;
  template <class V>
  static void fields(V&& v) {
    v("binding", &OneCase::binding);
    v("distribution", &OneCase::distribution, "of the inputs");
    v("seed", &OneCase::seed, "of the inputs");
  }
};

struct Reproduction {
  std::string message;                       // one sentence; empty: every run was right
  std::optional<evidence::Failure> failure;  // of the first run that was wrong
  template <class V>
  static void fields(V&& v) {
    v("message", &Reproduction::message, "one sentence; empty: every run was right");
    v("failure", &Reproduction::failure, {"of the first run that was wrong", Presence::sparse});
  }
};

// Runs the case several times in one loaded module, with other inputs in between, in both orders of blocks, and once
// with every check that the device has. Addresses, contents and orders are drawn from the request's secret. Errors: the
// candidate cannot run at this case (its text, its claims, the compiler, the device), or the spec cannot be evaluated
// there.
Result<Reproduction> reproduce(const Request& request, const OneCase& one, const Services& services,
                               std::stop_token stop = {});

// Whether `again` shows what `first` showed: the same kind of fault, or wrong elements of the same output.
bool same_failure(const evidence::Failure& first, const evidence::Failure& again);

}  // namespace ww::gate
