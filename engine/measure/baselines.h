// SPDX-License-Identifier: Apache-2.0
// An op's well-known implementations, timed together with a candidate: the naive kernel of the spec, the libraries of
// plugins/baselines, PyTorch.
#pragma once
#include "measure/bench.h"
#include "op/sentence/phrasebook.h"

namespace ww::measure {

// `candidate` may be null. `bench` must have been opened with baselines. `torch`: PyTorch is asked, too, in a process
// of its own. Subjects: "candidate", "naive", libraries, "torch eager", "torch.compile"; what was not timed says why.
Result<profile::Measurement> baselines(Bench& bench, const Case& what, const Subject* candidate,
                                       const op::Library& library, bool torch, const std::stop_token& cancel = {},
                                       const ProgressHandler& progress = {});
// The first subject that was timed, which the others are compared with; null: none.
const profile::MeasuredSubject* reference_of(const profile::Measurement& measurement);

}  // namespace ww::measure
