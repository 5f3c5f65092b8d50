// SPDX-License-Identifier: Apache-2.0
// Well-known implementations of an op, timed together with a candidate: the naive kernel of the spec, the libraries of
// plugins/baselines, PyTorch.
#pragma once
#include "measure/bench.h"
#include "op/sentence/phrasebook.h"

namespace ww::measure {

// `candidate` may be null. `bench` must have been opened with baselines. `torch`: also times PyTorch, in a separate
// process. Subjects: "candidate", "naive", libraries, "torch eager", "torch.compile"; those that were not timed give
// the reason.
Result<profile::Measurement> baselines(Bench& bench, const Case& what, const Subject* candidate,
                                       const op::Library& library, bool torch, const std::stop_token& cancel = {},
                                       const ProgressHandler& progress = {});
// The first timed subject, with which the others are compared; null: none.
const profile::MeasuredSubject* reference_of(const profile::Measurement& measurement);

}  // namespace ww::measure
