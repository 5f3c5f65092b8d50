// SPDX-License-Identifier: Apache-2.0
// The contents of a receipt, part by part. This description writes a receipt and reads it strictly. Defaulted or sparse
// members were added after the first receipts, or do not apply to all.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include "base/describe.h"
#include "evidence/verdict.h"
#include "op/spec.h"
#include "review/checklist.h"

namespace ww::review::body {

struct Candidate {
  std::string hash, language, text, title, structure, note, generator, parent, created;
  WW_FIELDS(Candidate, hash, language, text, title, structure, note, generator, (parent, "hash, or empty"), created)
};

struct Spec {
  std::string name, text, hash, sentence, summary, canonical, example;
  WW_FIELDS(Spec, (name, "as the text gives it"), text, (hash, "of the text"), (sentence, "asked for in these words"),
            summary, (canonical, "the same op as `text`"), (example, "worked example"))
};

struct Launch {
  std::string kernel;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::variant<std::string, std::int64_t, double>> args;  // a tensor's name, or a value
  WW_FIELDS(Launch, kernel, (grid, "blocks"), (block, "threads"), (cluster, "blocks"), (shared_bytes, "dynamic"),
            cooperative, (args, "names of tensors, and values"))
};

struct Temporary {
  std::string name, dtype;
  std::int64_t elements = 0;
  bool zeroed = false;
  WW_FIELDS(Temporary, name, dtype, elements, zeroed)
};

struct Plan {
  op::Binding default_case;
  std::vector<Launch> launches;
  std::vector<Temporary> temporaries;
  std::vector<std::string> zeroed_outputs;
  WW_FIELDS(Plan, ((case, default_case)), launches, temporaries, zeroed_outputs)
};

struct Resources {
  std::string kernel;
  int registers = 0;
  std::int64_t static_shared = 0, stack = 0, spill_stores = 0, spill_loads = 0;
  std::string provenance;
  WW_FIELDS(Resources, kernel, (registers, "per thread"), (static_shared, "bytes per block"),
            (stack, "bytes per thread"), (spill_stores, "bytes"), (spill_loads, "bytes"), provenance)
};

struct Toolchain {
  std::string program, compiler, architecture;
  std::vector<std::string> options;
  std::map<std::string, std::int64_t> tuning;
  std::vector<Resources> resources;
  WW_FIELDS(Toolchain, program, (compiler, "or \"unknown\""), architecture, options, tuning, resources)
};

struct StageRow {
  evidence::Stage stage{};
  evidence::Outcome outcome{};
  std::string message;
  WW_FIELDS(StageRow, stage, outcome, message)
};

struct CaseRow {
  std::string name;
  op::Binding binding;
  bool claimed = false;
  int input_sets = 0;
  WW_FIELDS(CaseRow, ((case, name)), binding, claimed, input_sets)
};

struct Holes {
  std::vector<std::string> not_claimed;
  bool agreed = false;
  WW_FIELDS(Holes, (not_claimed, "conditions on the sizes"), (agreed, "by the reviewer"))
};

struct Kept {
  std::vector<std::string> variables;
  bool agreed = false;
  WW_FIELDS(Kept, (variables, "names"), (agreed, "by the reviewer"))
};

struct Untried {
  std::vector<std::string> what;
  bool agreed = false;
  WW_FIELDS(Untried, what, (agreed, "by the reviewer"))
};

struct Evidence {
  std::string candidate, device;
  bool accepted = false;
  std::string summary, judged;
  std::vector<StageRow> stages;
  std::vector<CaseRow> cases;
  std::variant<evidence::ElementCounts, std::string> elements = std::string("unknown");
  evidence::Reproducibility reproducibility = evidence::Reproducibility::unknown;
  evidence::Checks checks;
  std::optional<evidence::Surroundings> surroundings;
  std::optional<evidence::AlsoJudged> also;
  std::vector<evidence::Unchecked> unchecked;
  std::vector<std::string> claimed;
  std::optional<evidence::Tried> tried;
  std::vector<evidence::Loss> losses;
  std::optional<evidence::MutantCounts> mutants;
  std::optional<Holes> holes;
  std::optional<Kept> kept;
  std::optional<Untried> untried;
  std::string tolerance, verdict_hash, ptx_hash;
  WW_FIELDS(Evidence, (candidate, "hash"), device, (accepted, "true"), summary, judged, stages, cases,
            (elements, "ELEMENTS, or \"unknown\"", defaulted), (reproducibility, defaulted), (checks, defaulted),
            (surroundings, "what was varied from run to run; without it: unknown", sparse),
            (also, "the judgement on the SIMT machine, where the device is a GPU", sparse),
            (unchecked, "outputs with elements that no error bound limits", sparse),
            (claimed, "conditions that limit the sizes for which the candidate is meant; without it: all sizes",
             sparse),
            (tried, "sizes of all runs, quick and longer cases included; without it: unknown", sparse),
            (losses, "outputs that strict precision would not let pass", sparse),
            (mutants, "of the spec, killed by the inputs of the claimed cases; without it: unknown", sparse),
            (holes, "in the candidate's claim", sparse), (kept, "what its module keeps from call to call", sparse),
            (untried, "by the cases of the verdict", sparse), tolerance,
            (verdict_hash, "of the verdict's stored bytes"), (ptx_hash, "empty: unknown"))
};

struct Timing {  // microseconds of one launch
  std::string subject, cache, provenance;
  int samples = 0;
  std::optional<double> median_us, q1_us, q3_us, sm_mhz;
  std::optional<std::string> throttle;
  WW_FIELDS(Timing, subject, (cache, "cold or warm"), provenance, samples, (median_us, "null: unknown"), q1_us, q3_us,
            sm_mhz, throttle)
};

struct Measured {  // a score has value and unit; other kinds have the members below
  std::string kind, device, provenance;
  std::optional<double> value;
  std::string unit, gpu, driver, created, hash;
  bool imported = false;
  std::vector<Timing> timings;
  WW_FIELDS(Measured, (kind, "\"score\", or of the measurement"), device, provenance, (value, sparse), (unit, sparse),
            (gpu, sparse), (driver, sparse), (created, sparse), (hash, "of its stored JSON", sparse),
            (imported, sparse), (timings, sparse))
};

struct Exchange {
  std::string model, role, prompt, created, request_hash, reply_hash;
  WW_FIELDS(Exchange, model, role, prompt, created, request_hash, reply_hash)
};

struct Ancestor {
  std::string candidate, generator, note;
  std::optional<Exchange> exchange;
  WW_FIELDS(Ancestor, (candidate, "hash"), generator, note, (exchange, "with the model that proposed it", sparse))
};

struct Finding {
  Topic topic = Topic::findings;
  std::string text;
  bool concern = false;
  int line = 0;
  WW_FIELDS(Finding, topic, text, (concern, "something to look at"), (line, "of the candidate", sparse))
};

struct Note {
  store::ReviewKind kind = store::ReviewKind::note;
  int line = 0;
  std::string text, reviewer, created;
  bool imported = false;
  WW_FIELDS(Note, kind, (line, "0: of the whole"), text, reviewer, created, (imported, sparse))
};

struct Answered {
  std::string id, sentence;
  bool required = true;
  std::vector<Finding> facts;
  std::optional<std::string> answer;
  WW_FIELDS(Answered, id, sentence, required, facts, (answer, "null: none"))
};

struct SignedChecklist {
  std::string policy_hash;
  bool own_policy = false;
  std::vector<Answered> items;
  WW_FIELDS(SignedChecklist, policy_hash, (own_policy, "the workspace's list, not the program's", defaulted), items)
};

struct Body {
  Candidate candidate;
  Spec spec;
  Plan plan;
  Toolchain toolchain;
  Evidence evidence;
  std::vector<Measured> measurements;
  std::vector<Ancestor> lineage;
  std::vector<Finding> findings;
  SignedChecklist checklist;
  std::vector<Note> notes;
  std::vector<std::string> limits;
  WW_FIELDS(Body, candidate, checklist, evidence, findings, (limits, "of validity"),
            (lineage, "from the candidate to its first ancestor"), measurements, notes, (plan, "of the default case"),
            spec, toolchain)
};

}  // namespace ww::review::body
