// SPDX-License-Identifier: Apache-2.0
// Consent for what leaves the machine. Nothing goes to another host, or to a local program that forwards to a service,
// before the user has seen what would be sent and allowed it. Answers are stored in config_dir()/"hosts.json" (host,
// limits, date). Thread-safe.
#pragma once
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "base/host.h"

namespace ww::llm {

struct Limits {  // on the contents of prompts
  static constexpr std::string_view described_as = "LIMITS";
  bool sources = true;      // candidates' code, the user's kernels, compiler logs that quote them; false: only the op
  bool paths = false;       // file names of this machine
  bool device_name = true;  // "NVIDIA H200", driver; false: only the architecture
  WW_FIELDS(Limits, (sources, "code of candidates, the person's kernels, compiler logs that quote them"),
            (paths, "file names of this machine"), (device_name, "the device's name and driver"))
};
bool operator==(const Limits& a, const Limits& b);

struct OutgoingData {
  bool sent = false;
  std::string what;  // "the op spec and its shapes"
  std::string text() const { return (sent ? "sent: " : "not sent: ") + what; }
};
std::vector<OutgoingData> outgoing_data(const Limits& limits);

struct Destination {
  std::string host;
  bool forwarded = false;  // a local program forwards it: LiteLLM, Ollama's cloud models
  bool leaves() const { return forwarded || !is_this_machine(host); }
};
// Whether requests are allowed: nothing leaves this machine, or an answer allows at least as much.
bool allowed(const Destination& to, const Limits& limits);
Status allow(const std::string& host, const Limits& limits);  // stored; replaces an earlier answer
Status forget(const std::string& host);
struct Consent {
  std::string host, date;
  Limits limits;
  template <class V>
  static void fields(V&& v) {
    v("host", &Consent::host);
    v("date", &Consent::date);
    v(inlined, &Consent::limits);
  }
};
Result<std::vector<Consent>> consents();

}  // namespace ww::llm
