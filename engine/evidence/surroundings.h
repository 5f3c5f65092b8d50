// SPDX-License-Identifier: Apache-2.0
// What a judgement varied from run to run beside the inputs, and what it did not. Sentences for people below.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include "base/describe.h"

namespace ww::evidence {

enum class Varied : std::uint8_t {
  unknown,
  no,
  yes,
  absent,  // the device has nothing of the kind
};
constexpr auto names_of(Varied) {
  using enum Varied;
  return std::to_array<Enumerator<Varied>>({{unknown, "unknown"}, {no, "no"}, {yes, "yes"}, {absent, "absent"}});
}

struct Surroundings {
  std::int64_t runs = 0;               // of the plan, each with its own
  Varied addresses = Varied::unknown;  // of tensors, and their order in memory
  Varied contents = Varied::unknown;   // of outputs and temporaries before a run
  Varied shared = Varied::unknown;     // initial contents of shared and local memory and registers
  Varied identities = Varied::unknown;
  Varied clocks = Varied::unknown;
  Varied blocks = Varied::unknown, warps = Varied::unknown, lanes = Varied::unknown;  // orders
  Varied atomics = Varied::unknown;                                                   // order
  Varied approximations = Varied::unknown;  // errors of approximate instructions, as large as documented
  Varied l2 = Varied::unknown;              // cold, and warm from earlier runs
  Varied load = Varied::unknown;            // with and without other kernels that run at the same time
  bool operator==(const Surroundings&) const = default;

  WW_FIELDS(Surroundings, (runs, "of the plan, each with surroundings of its own"),
            (addresses, "of tensors, and their order in memory", defaulted),
            (contents, "of outputs and temporaries before a run", defaulted),
            (shared, "initial contents of shared and local memory and of registers", defaulted),
            (identities, "`%smid`, `%nsmid`, `%warpid`, `%gridid`", defaulted), (clocks, "and timers", defaulted),
            (blocks, "their order", defaulted), (warps, "their order within a block", defaulted),
            (lanes, "their order within a warp", defaulted), (atomics, "the order of atomic operations", defaulted),
            (approximations, "errors of approximate instructions, as large as documented", defaulted),
            (l2, "the L2 cache: cold, and warm from earlier runs", defaulted),
            (load, "with and without other kernels at the same time", defaulted))
};

// "addresses of tensors, initial contents of outputs, …": what has this answer; empty: nothing.
std::string surroundings_text(const Surroundings& surroundings, Varied answer);
// "Varied in 148 runs: …", "Not varied: …", "Not known whether varied: …"; those that say something.
std::vector<std::string> surroundings_texts(const Surroundings& surroundings);

}  // namespace ww::evidence
