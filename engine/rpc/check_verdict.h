// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "base/result.h"
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// The hash of the candidate's language and text, as candidate::parse makes it; also where the text cannot be parsed.
std::string candidate_hash(const GateRequest& request);

// Checks that a worker's verdict answers this request and that its parts agree with one another. Code::corrupt; the
// cause is one sentence that names the first contradiction. Compared: the candidate, the spec, the device, the cases
// and what the candidate claims of them (evaluated here), their input sets, the stages in their order, the reasons of
// those skipped, `accepted`, the kernels, and every number's sign and finiteness. A hostile worker can still lie within
// these limits: that its outputs were right cannot be seen from here.
Status check_verdict(const GateRequest& request, const evidence::Verdict& verdict);

}  // namespace ww::rpc
