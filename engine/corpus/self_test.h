// SPDX-License-Identifier: Apache-2.0
// The gate tried on the kernels of resources/corpus: which wrong ones it accepts, and which honest ones it does not.
#pragma once
#include <array>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "corpus/kernels.h"
#include "evidence/verdict.h"
#include "rpc/supervisor.h"

namespace ww::corpus {

struct SelfTestOptions {
  std::vector<std::string> kinds;  // empty: all
  int limit = 0;                   // of each kind, spread over its file; 0: all
  std::string secret;              // for all judgements; empty: each draws its own
  std::string device = "simt", architecture;
  double candidate_seconds = 60;
  int workers = 0;  // processes; 0: one per two hardware threads
  rpc::WorkerOptions worker;
};

enum class Expected : std::uint8_t {
  rejected,  // a wrong kernel
  accepted,  // an honest one
  limited,   // one that is wrong in long tensors alone: accepted, and the verdict says up to what size
};
constexpr auto names_of(Expected) {
  using enum Expected;
  return std::to_array<Enumerator<Expected>>({{rejected, "rejected"}, {accepted, "accepted"}, {limited, "limited"}});
}

struct TestedKernel {
  std::string kind, name;
  Expected expected = Expected::rejected;
  evidence::Ruling ruling = evidence::Ruling::not_judged;
  bool limited = false;  // the verdict says that it is wrong in long tensors
  std::string seen;      // the verdict in a few words
  std::string secret;    // of the judgement
  std::string known;     // why it is known not to be as expected; empty: it is not known
  double seconds = 0;
  // A wrong kernel that is not judged is not accepted either.
  bool as_expected() const {
    const bool accepted = ruling == evidence::Ruling::accepted;
    return expected == Expected::limited ? !accepted || limited : accepted == (expected == Expected::accepted);
  }
  WW_FIELDS(TestedKernel, kind, name, expected, ruling, as_expected,
            (limited, "accepted, but wrong in long tensors", sparse), (seen, "the verdict in a few words"),
            (secret, "of the judgement"), (known, "why it is known not to be as expected", sparse), seconds)
};

struct KindCount {
  std::string kind;
  Expected expected = Expected::rejected;
  int tried = 0;
  int otherwise = 0;   // wrong ones that were accepted, honest ones that were not
  int not_judged = 0;  // of all
  WW_FIELDS(KindCount, kind, expected, tried,
            (otherwise, "wrong kernels that were accepted, honest ones that were not"), not_judged)
};
// In the order of the kernels.
std::vector<KindCount> counts_of(const std::vector<TestedKernel>& kernels);

// Every kernel in the order of the corpora, wrong ones first. `progress` is called on any thread, one at a time.
// Code::invalid_argument: a kind that there is not; unavailable: no worker; cancelled.
using Tested = std::function<void(const TestedKernel&, std::size_t done, std::size_t all)>;
Result<std::vector<TestedKernel>> self_test(const SelfTestOptions& options, std::stop_token stop = {},
                                            const Tested& progress = {});
// The kinds of both corpora.
Result<std::vector<std::string>> kinds();

}  // namespace ww::corpus
