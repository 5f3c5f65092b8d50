// SPDX-License-Identifier: Apache-2.0
// A failure as a file: all that it takes to see it again, in one small case where that is enough.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include "base/describe.h"
#include "base/result.h"
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::explore {

struct Repro {
  static constexpr std::string_view described_as = "REPRO";
  rpc::GateRequest judgement;                // with the secret of the verdict
  std::optional<gate::OneCase> one;          // empty: no single case shows it, and the judgement is repeated
  std::string message;                       // what failed, one sentence
  std::optional<evidence::Failure> failure;  // empty: the candidate did not get as far as a case
  WW_FIELDS(Repro, (message, "what failed, one sentence"),
            (one, "the case that shows it; without it no single case does, and the judgement is repeated", sparse),
            (failure, "where and how; without it the candidate got to no case", sparse),
            (judgement, "the parameters of `gate`, with the op spec, the candidate and the secret"))
};

// The smallest case that can be found within a few dozen runs in which the candidate fails as in the verdict: of each
// symbol a smaller size, and inputs that are easier to read. `asked`: the request that led to the verdict. Errors: the
// candidate was accepted (invalid_argument), cancelled.
Result<Repro> reproducible(rpc::Supervisor& worker, const rpc::GateRequest& asked, const evidence::Verdict& verdict,
                           std::stop_token stop = {});

Status write_repro(const std::filesystem::path& file, const Repro& repro);
Result<Repro> read_repro(const std::filesystem::path& file);  // Code::invalid_argument: it is none

}  // namespace ww::explore
