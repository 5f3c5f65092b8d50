// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "base/result.h"
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::rpc {

// The hash of the candidate's language and text, as computed by candidate::parse; also if the text does not parse.
std::string candidate_hash(const GateRequest& request);

// Checks that a worker's verdict answers this request and is consistent. Code::corrupt; the cause is one sentence that
// names the first contradiction. Checked: the candidate, the spec, the device, the cases and which of them the
// candidate claims (evaluated here), their input sets, the order of the stages, the reasons for skipped ones,
// `accepted`, the kernels, and every number's sign and finiteness. A hostile worker can still lie within these limits:
// whether its outputs were correct cannot be checked here.
Status check_verdict(const GateRequest& request, const evidence::Verdict& verdict);

}  // namespace ww::rpc
