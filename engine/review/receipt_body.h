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
  template <class V>
  static void fields(V&& v) {
    v("hash", &Candidate::hash);
    v("language", &Candidate::language);
    v("text", &Candidate::text);
    v("title", &Candidate::title);
    v("structure", &Candidate::structure);
    v("note", &Candidate::note);
    v("generator", &Candidate::generator);
    v("parent", &Candidate::parent, "hash, or empty");
    v("created", &Candidate::created);
  }
};

struct Spec {
  std::string name, text, hash, sentence, summary, canonical, example;
  template <class V>
  static void fields(V&& v) {
    v("name", &Spec::name, "as the text gives it");
    v("text", &Spec::text);
    v("hash", &Spec::hash, "of the text");
    v("sentence", &Spec::sentence, "asked for in these words");
    v("summary", &Spec::summary);
    v("canonical", &Spec::canonical, "the same op as `text`");
    v("example", &Spec::example, "worked example");
  }
};

struct Launch {
  std::string kernel;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1};
  std::uint64_t shared_bytes = 0;
  bool cooperative = false;
  std::vector<std::variant<std::string, std::int64_t, double>> args;  // a tensor's name, or a value
  template <class V>
  static void fields(V&& v) {
    v("kernel", &Launch::kernel);
    v("grid", &Launch::grid, "blocks");
    v("block", &Launch::block, "threads");
    v("cluster", &Launch::cluster, "blocks");
    v("shared_bytes", &Launch::shared_bytes, "dynamic");
    v("cooperative", &Launch::cooperative);
    v("args", &Launch::args, "names of tensors, and values");
  }
};

struct Temporary {
  std::string name, dtype;
  std::int64_t elements = 0;
  bool zeroed = false;
  template <class V>
  static void fields(V&& v) {
    v("name", &Temporary::name);
    v("dtype", &Temporary::dtype);
    v("elements", &Temporary::elements);
    v("zeroed", &Temporary::zeroed);
  }
};

struct Plan {
  op::Binding default_case;
  std::vector<Launch> launches;
  std::vector<Temporary> temporaries;
  std::vector<std::string> zeroed_outputs;
  template <class V>
  static void fields(V&& v) {
    v("case", &Plan::default_case);
    v("launches", &Plan::launches);
    v("temporaries", &Plan::temporaries);
    v("zeroed_outputs", &Plan::zeroed_outputs);
  }
};

struct Resources {
  std::string kernel;
  int registers = 0;
  std::int64_t static_shared = 0, stack = 0, spill_stores = 0, spill_loads = 0;
  std::string provenance;
  template <class V>
  static void fields(V&& v) {
    v("kernel", &Resources::kernel);
    v("registers", &Resources::registers, "per thread");
    v("static_shared", &Resources::static_shared, "bytes per block");
    v("stack", &Resources::stack, "bytes per thread");
    v("spill_stores", &Resources::spill_stores, "bytes");
    v("spill_loads", &Resources::spill_loads, "bytes");
    v("provenance", &Resources::provenance);
  }
};

struct Toolchain {
  std::string program, compiler, architecture;
  std::vector<std::string> options;
  std::map<std::string, std::int64_t> tuning;
  std::vector<Resources> resources;
  template <class V>
  static void fields(V&& v) {
    v("program", &Toolchain::program);
    v("compiler", &Toolchain::compiler, "or \"unknown\"");
    v("architecture", &Toolchain::architecture);
    v("options", &Toolchain::options);
    v("tuning", &Toolchain::tuning);
    v("resources", &Toolchain::resources);
  }
};

struct StageRow {
  evidence::Stage stage{};
  evidence::Outcome outcome{};
  std::string message;
  template <class V>
  static void fields(V&& v) {
    v("stage", &StageRow::stage);
    v("outcome", &StageRow::outcome);
    v("message", &StageRow::message);
  }
};

struct CaseRow {
  std::string name;
  op::Binding binding;
  bool claimed = false;
  int input_sets = 0;
  template <class V>
  static void fields(V&& v) {
    v("case", &CaseRow::name);
    v("binding", &CaseRow::binding);
    v("claimed", &CaseRow::claimed);
    v("input_sets", &CaseRow::input_sets);
  }
};

struct Holes {
  std::vector<std::string> not_claimed;
  bool agreed = false;
  template <class V>
  static void fields(V&& v) {
    v("not_claimed", &Holes::not_claimed, "conditions on the sizes");
    v("agreed", &Holes::agreed, "by the reviewer");
  }
};

struct Kept {
  std::vector<std::string> variables;
  bool agreed = false;
  template <class V>
  static void fields(V&& v) {
    v("variables", &Kept::variables, "names");
    v("agreed", &Kept::agreed, "by the reviewer");
  }
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
  std::optional<Holes> holes;
  std::optional<Kept> kept;
  std::string tolerance, verdict_hash, ptx_hash;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &Evidence::candidate, "hash");
    v("device", &Evidence::device);
    v("accepted", &Evidence::accepted, "true");
    v("summary", &Evidence::summary);
    v("judged", &Evidence::judged);
    v("stages", &Evidence::stages);
    v("cases", &Evidence::cases);
    v("elements", &Evidence::elements, {"ELEMENTS, or \"unknown\"", Presence::defaulted});
    v("reproducibility", &Evidence::reproducibility, Presence::defaulted);
    v("checks", &Evidence::checks, Presence::defaulted);
    v("surroundings", &Evidence::surroundings,
      {"what was varied from run to run; without it: unknown", Presence::sparse});
    v("also", &Evidence::also, {"the judgement on the SIMT machine, where the device is a GPU", Presence::sparse});
    v("unchecked", &Evidence::unchecked, {"outputs with elements that no error bound limits", Presence::sparse});
    v("holes", &Evidence::holes, {"in the candidate's claim", Presence::sparse});
    v("kept", &Evidence::kept, {"what its module keeps from call to call", Presence::sparse});
    v("tolerance", &Evidence::tolerance);
    v("verdict_hash", &Evidence::verdict_hash, "of the verdict's stored bytes");
    v("ptx_hash", &Evidence::ptx_hash, "empty: unknown");
  }
};

struct Timing {  // microseconds of one launch
  std::string subject, cache, provenance;
  int samples = 0;
  std::optional<double> median_us, q1_us, q3_us, sm_mhz;
  std::optional<std::string> throttle;
  template <class V>
  static void fields(V&& v) {
    v("subject", &Timing::subject);
    v("cache", &Timing::cache, "cold or warm");
    v("provenance", &Timing::provenance);
    v("samples", &Timing::samples);
    v("median_us", &Timing::median_us, "null: unknown");
    v("q1_us", &Timing::q1_us);
    v("q3_us", &Timing::q3_us);
    v("sm_mhz", &Timing::sm_mhz);
    v("throttle", &Timing::throttle);
  }
};

struct Measured {  // a score has value and unit; other kinds have the members below
  std::string kind, device, provenance;
  std::optional<double> value;
  std::string unit, gpu, driver, created, hash;
  bool imported = false;
  std::vector<Timing> timings;
  template <class V>
  static void fields(V&& v) {
    v("kind", &Measured::kind, "\"score\", or of the measurement");
    v("device", &Measured::device);
    v("provenance", &Measured::provenance);
    v("value", &Measured::value, Presence::sparse);
    v("unit", &Measured::unit, Presence::sparse);
    v("gpu", &Measured::gpu, Presence::sparse);
    v("driver", &Measured::driver, Presence::sparse);
    v("created", &Measured::created, Presence::sparse);
    v("hash", &Measured::hash, {"of its stored JSON", Presence::sparse});
    v("imported", &Measured::imported, Presence::sparse);
    v("timings", &Measured::timings, Presence::sparse);
  }
};

struct Exchange {
  std::string model, role, prompt, created, request_hash, reply_hash;
  template <class V>
  static void fields(V&& v) {
    v("model", &Exchange::model);
    v("role", &Exchange::role);
    v("prompt", &Exchange::prompt);
    v("created", &Exchange::created);
    v("request_hash", &Exchange::request_hash);
    v("reply_hash", &Exchange::reply_hash);
  }
};

struct Ancestor {
  std::string candidate, generator, note;
  std::optional<Exchange> exchange;
  template <class V>
  static void fields(V&& v) {
    v("candidate", &Ancestor::candidate, "hash");
    v("generator", &Ancestor::generator);
    v("note", &Ancestor::note);
    v("exchange", &Ancestor::exchange, {"with the model that proposed it", Presence::sparse});
  }
};

struct Finding {
  Topic topic = Topic::findings;
  std::string text;
  bool concern = false;
  int line = 0;
  template <class V>
  static void fields(V&& v) {
    v("topic", &Finding::topic);
    v("text", &Finding::text);
    v("concern", &Finding::concern, "something to look at");
    v("line", &Finding::line, {"of the candidate", Presence::sparse});
  }
};

struct Note {
  store::ReviewKind kind = store::ReviewKind::note;
  int line = 0;
  std::string text, reviewer, created;
  bool imported = false;
  template <class V>
  static void fields(V&& v) {
    v("kind", &Note::kind);
    v("line", &Note::line, "0: of the whole");
    v("text", &Note::text);
    v("reviewer", &Note::reviewer);
    v("created", &Note::created);
    v("imported", &Note::imported, Presence::sparse);
  }
};

struct Answered {
  std::string id, sentence;
  bool required = true;
  std::vector<Finding> facts;
  std::optional<std::string> answer;
  template <class V>
  static void fields(V&& v) {
    v("id", &Answered::id);
    v("sentence", &Answered::sentence);
    v("required", &Answered::required);
    v("facts", &Answered::facts);
    v("answer", &Answered::answer, "null: none");
  }
};

struct SignedChecklist {
  std::string policy_hash;
  bool own_policy = false;
  std::vector<Answered> items;
  template <class V>
  static void fields(V&& v) {
    v("policy_hash", &SignedChecklist::policy_hash);
    v("own_policy", &SignedChecklist::own_policy, {"the workspace's list, not the program's", Presence::defaulted});
    v("items", &SignedChecklist::items);
  }
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
  template <class V>
  static void fields(V&& v) {
    v("candidate", &Body::candidate);
    v("checklist", &Body::checklist);
    v("evidence", &Body::evidence);
    v("findings", &Body::findings);
    v("limits", &Body::limits, "of validity");
    v("lineage", &Body::lineage, "from the candidate to its first ancestor");
    v("measurements", &Body::measurements);
    v("notes", &Body::notes);
    v("plan", &Body::plan, "of the default case");
    v("spec", &Body::spec);
    v("toolchain", &Body::toolchain);
  }
};

}  // namespace ww::review::body
