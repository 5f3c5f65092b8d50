// SPDX-License-Identifier: Apache-2.0
// What reviewers asked to be changed (store/standing.h), as a run of models takes it up. It is read once, when a
// process begins or goes on with the run, so that what is written while it runs changes nothing of it; of a replay it
// is what stood when the run that it repeats began.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <vector>
#include "base/result.h"
#include "store/workspace.h"

namespace ww::explore {

struct ReviewRequest {         // open ones alone
  std::int64_t candidate = 0;  // in the workspace
  std::string hash, text;
  bool asked = false;  // a model was asked for a revision since its last word was written
};

// Of the candidates of `run`, and of those elsewhere in the workspace whose hash is in `given`: a run that begins with
// a reviewed candidate takes up what was said of it. `until`: only what was written before that time (ISO 8601, as the
// store writes it); empty: all. In order of candidates, one for each hash, the latest candidate's.
Result<std::vector<ReviewRequest>> open_requests(store::Workspace& workspace, std::int64_t run,
                                                 const std::set<std::string>& given, const std::string& until = {});

std::string request_text(
    const std::string& sentence,
    const ReviewRequest& request);  // for a prompt: the person's sentence, then the reviewers' words

}  // namespace ww::explore
