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

  template <class V>
  static void fields(V&& v) {
    v("runs", &Surroundings::runs, "of the plan, each with surroundings of its own");
    v("addresses", &Surroundings::addresses, {"of tensors, and their order in memory", Presence::defaulted});
    v("contents", &Surroundings::contents, {"of outputs and temporaries before a run", Presence::defaulted});
    v("shared", &Surroundings::shared,
      {"initial contents of shared and local memory and of registers", Presence::defaulted});
    v("identities", &Surroundings::identities, {"`%smid`, `%nsmid`, `%warpid`, `%gridid`", Presence::defaulted});
    v("clocks", &Surroundings::clocks, {"and timers", Presence::defaulted});
    v("blocks", &Surroundings::blocks, {"their order", Presence::defaulted});
    v("warps", &Surroundings::warps, {"their order within a block", Presence::defaulted});
    v("lanes", &Surroundings::lanes, {"their order within a warp", Presence::defaulted});
    v("atomics", &Surroundings::atomics, {"the order of atomic operations", Presence::defaulted});
    v("approximations", &Surroundings::approximations,
      {"errors of approximate instructions, as large as documented", Presence::defaulted});
    v("l2", &Surroundings::l2, {"the L2 cache: cold, and warm from earlier runs", Presence::defaulted});
    v("load", &Surroundings::load, {"with and without other kernels at the same time", Presence::defaulted});
  }
};

// "addresses of tensors, initial contents of outputs, …": what has this answer; empty: nothing.
std::string surroundings_text(const Surroundings& surroundings, Varied answer);
// "Varied in 148 runs: …", "Not varied: …", "Not known whether varied: …"; those that say something.
std::vector<std::string> surroundings_texts(const Surroundings& surroundings);

}  // namespace ww::evidence
