// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "review/decision.h"
#include "rpc/supervisor.h"

namespace ww::review {

// judge_again, with reports of how far it is: its fractions never fall, also where two devices judge. They come on the
// thread that calls the judge.
Judge reported_judge(rpc::ProgressHandler progress);

}  // namespace ww::review
