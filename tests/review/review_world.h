// SPDX-License-Identifier: Apache-2.0
// A small workspace with a run, a parent that was rejected and its child, which a model wrote and the gate accepted.
#pragma once
#include <QtGlobal>
#include <algorithm>
#include <filesystem>
#include "base/hash.h"
#include "candidate/candidate.h"
#include "review/decision.h"
#include "store/workspace.h"
#include "support/workspaces.h"

namespace review_world {

using namespace ww;
using namespace ww::review;
namespace fs = std::filesystem;

inline constexpr const char* program = "warpwright test";
inline constexpr const char* spec = "op scale(x: f32[N]) -> y: f32[N]\n  default N = 64\n{\n  y[i] = 2 * x[i]\n}\n";

inline std::string kernel(const std::string& more = {}) {
  return "//@ candidate scale\n//@ title plain /home/ada/secret/place.cu\n//@ option fast-math\n//@ require N % 4 == "
         "0\n//@ launch k grid(ceildiv(N, 32)) block(32) args(x, y, N)\n"
         "extern \"C\" __global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * 32 + "
         "threadIdx.x;\n  if (i < n) y[i] = 2 * x[i];\n  else atomicAdd(y, 0);\n}\n" +
         more;
}

inline constexpr const char* ptx = R"ptx(.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
.reg .b32 %r<4>;
.reg .b64 %rd<2>;
.loc 1 7 3
mov.b32 %r1, 1;
.loc 1 8 3
// begin inline asm
mov.b32 %r2, 2;
// end inline asm
.loc 1 9 3
ld.param.u64 %rd1, [k_param_0];
atom.global.add.u32 %r3, [%rd1], %r1;
ret;
}
.file 1 "candidate.cu"
)ptx";

inline evidence::Verdict verdict_of(const std::string& hash, bool accepted = true) {
  evidence::Verdict v;
  v.candidate = hash;
  v.device = "simt";
  v.accepted = accepted;
  for (const evidence::Stage stage : evidence::all_stages)
    v.stages.push_back({stage, evidence::Outcome::passed, "fine", "", {}, 0.5});
  using evidence::CheckCoverage;
  v.proof.compiler = "NVRTC 13.0";
  v.proof.elements = evidence::ElementCounts{637, 3, 0};
  v.proof.reproducibility = evidence::Reproducibility::bitwise;
  v.proof.checks = {CheckCoverage::yes, CheckCoverage::yes, CheckCoverage::partly, CheckCoverage::no};
  using enum evidence::Varied;
  v.proof.surroundings = evidence::Surroundings{148, yes, yes, yes, yes, yes, yes, yes, yes, yes, yes, absent, absent};
  if (!accepted) v.stages[2].outcome = evidence::Outcome::failed;
  v.coverage = {{"default", {{{"N", 64}}, {}}, true, 5}, {"odd", {{{"N", 33}}, {}}, false, 0}};
  v.resources.push_back({"k", 24, 0, 0, 0, 0, 352, 0});
  evidence::Metrics m;
  m.provenance = Provenance::simulated, m.device = "simt", m.case_name = "default";
  m.values = {{"warp_instructions", 1234.0}};
  m.lines = {{7, 10, 320, 0, 0, 0, 0}, {8, 10, 320, 4, 0, 0, 0}};
  v.metrics = m;
  v.ptx = ptx;
  return v;
}

inline std::unique_ptr<store::Workspace> opened(const fs::path& folder) {
  auto w = store::Workspace::open(folder);
  if (!w) qFatal("%s", w.error().text().c_str());
  return std::move(*w);
}

inline store::RunRecord run_record(store::Workspace& w) {
  store::RunRecord r;
  r.op = w.add_op("scale", spec, "twice the input, as in /home/ada/secret/notes.txt").value();
  r.generator = "search", r.device = "simt", r.architecture = "sm_80", r.options = "{}";
  return r;
}

inline store::CandidateRecord record_of(std::int64_t run, const std::string& text) {
  store::CandidateRecord c;
  c.run = run;
  c.text = text;
  c.language = candidate::Language::cuda;
  c.hash = Hasher().field("cuda").field(text).hex();
  c.title = "plain /home/ada/secret/place.cu";
  c.generator = "model";
  return c;
}

struct Made {
  std::int64_t run = 0, parent = 0, candidate = 0;
};

// A run with a parent that was rejected, and its child, which a model wrote and the gate accepted.
inline Made fill(store::Workspace& w) {
  Made m;
  m.run = w.add_run(run_record(w)).value();
  if (!w.add_message(m.run, store::MessageLevel::environment,
                     "{\"compiler\": {\"version\": \"13.0\", \"nvrtc\": \"/usr/local/cuda/libnvrtc.so\"}}"))
    qFatal("message");
  store::CandidateRecord parent = record_of(m.run, kernel("// parent\n"));
  m.parent = w.add_candidate(parent).value();
  if (!w.set_verdict(m.parent, verdict_of(parent.hash, false), {}, Provenance::unknown, "")) qFatal("verdict");
  store::ExchangeRecord e;
  e.run = m.run;
  e.role = store::AgentRole::writer;
  e.model = "ollama:qwen";
  e.host = "localhost";
  e.request = "{\"messages\": []}";
  e.request_hash = hash_hex(e.request);
  e.prompt = "writer 3 (1a2b3c4d5e6f)";
  e.state = store::ExchangeState::sent;
  e.id = w.add_exchange(e).value();
  e.state = store::ExchangeState::replied;
  e.reply = "{\"text\": \"here\"}";
  if (!w.end_exchange(e)) qFatal("exchange");
  store::CandidateRecord c = record_of(m.run, kernel());
  c.parent = parent.hash;
  c.exchange = e.id;
  m.candidate = w.add_candidate(c).value();
  if (!w.set_verdict(m.candidate, verdict_of(c.hash), 812.0, Provenance::simulated, "simulated issue slots"))
    qFatal("verdict");
  return m;
}

// With a judge that finds again what it found before.
inline Result<Accepted> accept(store::Workspace& w, std::int64_t candidate, const std::string& reviewer,
                               const Answers& answers, const std::string& by, const Signer& signer) {
  return review::accept(w, candidate, reviewer, answers, by, signer,
                        [](const Dossier& d) -> Result<evidence::Verdict> { return *d.candidate.verdict; });
}

inline Answers all_answers() {
  return {{"spec", "yes"},   {"evidence", "opened"}, {"findings", "fast-math is wanted; see ~/notes.txt"},
          {"lines", "read"}, {"diff", "read"},       {"limits", "known"}};
}

// For a test to derive from.
class Signers : protected support::Folders {
 protected:
  Signer signer(const char* name = "signing.key") const { return Signer::open(path("keys") / name).value(); }
  std::string receipt() {  // of the candidate of a fresh workspace; always of the same text
    auto w = opened(fresh());
    const Made m = fill(*w);
    return accept(*w, m.candidate, "Ada", all_answers(), program, signer()).value().receipt;
  }
};

inline std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) qFatal("no '%s' in the receipt", what.c_str());
  return text.replace(at, what.size(), by);
}

inline bool says(const std::vector<std::string>& list, const std::string& part) {
  return std::any_of(list.begin(), list.end(), [&](const std::string& s) { return s.find(part) != std::string::npos; });
}
inline bool says(const std::vector<Change>& list, const std::string& part, bool against) {
  return std::any_of(list.begin(), list.end(),
                     [&](const Change& c) { return c.against == against && c.text.find(part) != std::string::npos; });
}

}  // namespace review_world
