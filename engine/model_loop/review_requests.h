// SPDX-License-Identifier: Apache-2.0
// Changes requested by reviewers (store/standing.h), for a run that asks models. Read once, when a process starts or
// resumes the run, so that later requests do not affect it; a replay sees those in force when the original run began.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "store/workspace.h"

namespace ww::model_loop {

struct ReviewRequest {         // open ones only
  std::int64_t candidate = 0;  // in the workspace
  std::string hash, text;
  bool asked = false;  // a model was asked for a revision since its latest text was written
};

// Open requests on the candidates of the run `reviewed` (for a replay: the one it repeats), and on those elsewhere in
// the workspace whose hash is in `given`: a run that begins with a reviewed candidate takes its requests into account.
// `until`: only requests up to that time (ISO 8601, as in the store); empty: all. `made`: requests to models so far,
// of the run `reviewed`. Ordered by candidate, one per hash, the latest candidate's.
Result<std::vector<ReviewRequest>> open_requests(store::Workspace& workspace, std::int64_t reviewed,
                                                 const std::vector<store::ExchangeRecord>& made,
                                                 const std::set<std::string>& given, const std::string& until = {});

std::string request_text(
    const std::string& sentence,
    const ReviewRequest& request);  // for a prompt: the person's sentence, then the reviewers' words

}  // namespace ww::model_loop
