// SPDX-License-Identifier: Apache-2.0
// Consent for what leaves the machine. Nothing goes to another host, nor to a local program that forwards to a service,
// before a person has seen what it is and allowed it. Answers are stored in config_dir()/"hosts.json" (host, limits,
// date). Thread-safe.
#pragma once
#include <string>
#include <vector>
#include "base/describe.h"
#include "base/result.h"
#include "base/host.h"

namespace ww::llm {

struct Limits {  // of what prompts may hold
  static constexpr std::string_view described_as = "LIMITS";
  bool sources = true;  // candidates' code, the person's kernels, compiler logs that quote them; false: the op alone
  bool paths = false;   // file names of this machine
  bool device_name = true;  // "NVIDIA H200", driver; false: the architecture alone
  template <class V>
  static void fields(V&& v) {
    v("sources", &Limits::sources, "code of candidates, the person's kernels, compiler logs that quote them");
    v("paths", &Limits::paths, "file names of this machine");
    v("device_name", &Limits::device_name, "the device's name and driver");
  }
};
bool operator==(const Limits& a, const Limits& b);

struct Leaving {
  bool sent = false;
  std::string what;  // "the op spec and its shapes"
  std::string text() const { return (sent ? "sent: " : "not sent: ") + what; }
};
std::vector<Leaving> what_leaves(const Limits& limits);

struct Destination {
  std::string host;
  bool forwarded = false;  // a program on this machine passes it on: LiteLLM, Ollama's cloud models
  bool leaves() const { return forwarded || !is_this_machine(host); }
};
// Whether requests are allowed, because nothing leaves this machine or by an answer that allows at least as much.
bool allowed(const Destination& to, const Limits& limits);
Status allow(const std::string& host, const Limits& limits);  // kept; replaces an earlier answer
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
