// SPDX-License-Identifier: Apache-2.0
// A candidate with all that the workspace has on it, and the facts derived from that.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include "base/grouped.h"
#include "base/device_name.h"
#include "base/gpu_here.h"
#include "base/hash.h"
#include "base/plural.h"
#include "candidate/claim.h"
#include "diff/lines.h"
#include "evidence/explain.h"
#include "generator/run_options.h"
#include "rpc/worker_report.h"
#include "evidence/describe.h"
#include "op/doubts.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "review/checklist.h"
#include "ptx/notable.h"
#include "simt/module.h"
#include "simt/program.h"
#include "store/standing.h"
#include "store/words.h"
#include "evidence/stage_word.h"

namespace ww::review {

using store::ReviewKind;

namespace {

std::string name_of(const store::CandidateRecord& c) {
  const std::string& words = c.structure.empty() ? c.title : c.structure;
  return "#" + std::to_string(c.id) + (words.empty() ? "" : " " + words);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

std::string listed(const std::set<int>& lines) {  // "lines 3, 7 to 9"
  std::string out;
  for (auto it = lines.begin(); it != lines.end();) {
    const int from = *it;
    int to = from;
    while (++it != lines.end() && *it == to + 1) to = *it;
    out += (out.empty() ? "" : ", ") + std::to_string(from) + (to == from ? "" : " to " + std::to_string(to));
  }
  return (lines.size() == 1 ? "line " : "lines ") + out;
}

// "2133709 simulated issue slots", "12.34 µs (measured)": with its provenance unless the unit names it.
std::string score_text(const store::CandidateRecord& c) {
  const double score = *c.score;
  const bool whole = (score == std::floor(score) || std::abs(score) >= 1e5) && std::abs(score) < 1e15;
  const std::string number = whole ? grouped(fmt::format("{:.0f}", score)) : fmt::format("{:.6g}", score);
  const std::string provenance = enum_string(c.score_provenance);
  return fmt::format("{} {} {}", store::number_word(c.score_provenance), number, c.score_unit) +
         (c.score_unit.find(provenance) == std::string::npos ? " (" + provenance + ")" : std::string());
}

std::string claimed_long_text(const evidence::LongTensors& t) {
  const bool refused = t.outcome == evidence::LongOutcome::wrong || t.outcome == evidence::LongOutcome::refused;
  return evidence::long_tensors_text(t) + (refused ? "; such sizes are not claimed, and an export refuses them" : "");
}

std::string model_text(const store::ExchangeRecord& e) {
  return e.model + " as " + enum_string(e.role) + (e.prompt.empty() ? std::string() : ", prompt " + e.prompt);
}

class Facts {
 public:
  explicit Facts(const Dossier& dossier) : s_(dossier) {}

  std::vector<Fact> all() {
    spec();
    evidence();
    lines();
    findings();
    lineage();
    diff();
    measurements();
    limits();
    notes();
    return std::move(list_);
  }

 private:
  void add(Topic topic, std::string text, bool concern = false, int line = 0) {
    list_.push_back({topic, std::move(text), line, concern});
  }

  void spec() {
    if (!s_.op.sentence.empty()) add(Topic::spec, "It was requested as: " + s_.op.sentence);
    add(Topic::spec, s_.op.text);
    add(Topic::spec, "Default case: " + evidence::binding_text(s_.context.binding));
    if (Result<std::string> example = op::worked_example(s_.context.spec))
      add(Topic::spec, "Worked example\n" + *example);
  }

  void evidence() {
    if (!s_.candidate.verdict) return add(Topic::evidence, "There is no verdict yet.", true);
    if (s_.candidate.imported)
      add(Topic::evidence, "Its verdict was imported, not judged here. Signing judges it again.", true);
    const evidence::Verdict& v = *s_.candidate.verdict;
    for (const evidence::StageResult& r : v.stages)
      add(Topic::evidence, fmt::format("{}: {}. {}", evidence::stage_word(v, r.stage), enum_name(r.outcome), r.message),
          r.outcome != evidence::Outcome::passed);
    for (const evidence::CaseCoverage& c : v.coverage) {
      const std::string what = "case " + c.case_name + " (" + evidence::binding_text(c.binding) + ")";
      const evidence::CaseStanding standing = evidence::standing_of(v, c);
      if (standing == evidence::CaseStanding::not_claimed)
        add(Topic::coverage, what + " is not claimed by the candidate and was not tested", true);
      else
        add(Topic::coverage, what + ": " + evidence::coverage_text(v, c), standing != evidence::CaseStanding::proved);
    }
    if (v.proof.tried) add(Topic::coverage, "Sizes: " + evidence::tried_text(*v.proof.tried));
    elements(v.proof);
    for (const evidence::Loss& l : v.proof.losses) add(Topic::unproved, "Precision: " + evidence::loss_text(l), true);
    mutants(v.proof);
    if (v.proof.long_tensors)
      add(Topic::unproved, "Long tensors: " + claimed_long_text(*v.proof.long_tensors),
          v.proof.long_tensors->outcome != evidence::LongOutcome::right);
    else
      add(Topic::unproved, "It is unknown whether its offsets are right in tensors of more than 2147483647 elements.",
          true);
  }

  // Names elements without a bound per output if known; the total then leaves them out.
  void elements(const evidence::Proof& proof) {
    if (!proof.elements)
      return add(Topic::unproved, "The verdict does not record how many output elements were compared.", true);
    evidence::ElementCounts left = *proof.elements;
    for (const evidence::Unchecked& u : proof.unchecked) {
      add(Topic::unproved, evidence::unchecked_text(u), true);
      left.compared += left.unproved;
      left.unproved = 0;
    }
    if (const std::string text = evidence::unproved_text(left); !text.empty())
      add(Topic::unproved, text, true);
    else if (proof.unchecked.empty())
      add(Topic::unproved,
          fmt::format("Every element of every output that was computed, {} in all, has a finite error bound and was "
                      "compared.",
                      left.compared));
  }

  void mutants(const evidence::Proof& proof) {
    if (!proof.mutants) return add(Topic::unproved, "It is unknown which mutants of the spec its inputs kill.", true);
    const evidence::MutantCounts& m = *proof.mutants;
    add(Topic::unproved, "Inputs: " + evidence::mutants_text(m), m.told_apart + m.equal < m.all);
  }

  void lines() {
    const Unexecuted u = unexecuted_lines(s_);
    if (!u.why_not.empty()) return add(Topic::lines, "The executed lines are unknown: " + u.why_not, true);
    const std::vector<std::string> text = lines_of(s_.candidate.text);
    const auto line_text = [&](int line) {
      return line > 0 && static_cast<std::size_t>(line) <= text.size() ? text[static_cast<std::size_t>(line) - 1] : "";
    };
    const std::string which =
        u.every_case ? "any case" : "the counted case " + s_.candidate.verdict->metrics->case_name;
    for (const int line : u.lines)
      add(Topic::lines, fmt::format("line {} was not executed in {} (simulated): {}", line, which, line_text(line)),
          true, line);
    for (const int line : u.one_way)
      add(Topic::lines,
          fmt::format("{} (simulated): {}", evidence::missed_text({ptx::Miss::one_way, line}), line_text(line)), true,
          line);
    if (u.lines.empty())
      add(Topic::lines, fmt::format("Every line with machine code was executed in {} (simulated).",
                                    u.every_case ? "some case" : which));
  }

  void findings() {
    const std::size_t before = list_.size();
    if (s_.parsed) {
      for (const std::string& option : s_.parsed->options)
        add(Topic::findings,
            option == "fast-math" ? std::string("compiled with fast-math: divisions, roots and functions are "
                                                "approximate, denormals are zero, and NaN and infinities may be lost")
                                  : "compiled with the option " + option,
            true);
      for (const candidate::Claim& c : candidate::claims_of(*s_.parsed))
        add(Topic::findings,
            c.kind == candidate::ClaimKind::hole
                ? "its claim has a hole: not claimed: " + c.not_claimed + " (" + c.condition + ")"
                : "it claims only cases with " + c.condition,
            true);
    }
    if (!s_.candidate.verdict || s_.candidate.verdict->ptx.empty()) {
      add(Topic::findings, "Its PTX is not stored: it was not searched for atomics and inline PTX", true);
    } else {
      std::map<std::string, std::set<int>> found;
      instructions(found);
      for (const auto& [what, where] : found)
        add(Topic::findings, what + (where.empty() ? std::string() : ", " + listed(where)), true,
            where.empty() ? 0 : *where.begin());
      for (const ptx::Note& note : ptx::notable_in(s_.candidate.verdict->ptx))
        add(Topic::findings, ptx::note_text(note), note.kind != ptx::Notable::narrow_index);
    }
    const bool bitwise =
        s_.candidate.verdict && s_.candidate.verdict->proof.reproducibility == evidence::Reproducibility::bitwise;
    if (s_.candidate.verdict && !bitwise)
      for (std::string& text : evidence::reproducibility_texts(s_.candidate.verdict->proof))
        add(Topic::findings, std::move(text), true);
    if (list_.size() == before && bitwise)
      add(Topic::findings,
          "None: no compiler option, no limit of its claims, no atomics, no inline PTX, bitwise the same when "
          "repeated.");
    std::vector<profile::Advice> advice = appraisal::advice_of(s_.context, s_.candidate);
    if (advice.size() > 20) advice.resize(20);
    for (const profile::Advice& a : advice) add(Topic::advice, profile::advice_sentences(a));
  }

  // From the PTX, not from the text: macros cannot hide anything there.
  void instructions(std::map<std::string, std::set<int>>& found) {
    const std::string& ptx = s_.candidate.verdict->ptx;
    const Result<std::shared_ptr<const simt::Program>> program = simt::load(ptx);
    if (!program) {
      found["its PTX could not be read for atomics: " + program.error().text()];
      return;
    }
    const bool own =
        s_.candidate.language == candidate::Language::ptx;  // then the PTX is the candidate's text, line by line
    const auto place = [own](int ptx_line, int source_line) { return own ? ptx_line : source_line; };
    for (const simt::Function& f : (*program)->module().functions)
      for (const simt::Instruction& i : f.body) {
        const int line = place(i.line, i.source_line);
        const auto note = [&](const std::string& what) {
          line > 0 ? (void)found[what].insert(line) : (void)found[what];
        };
        if (ptx::is_atomic(i.opcode())) note("atomics: the order in which threads arrive is not fixed");
        if (i.opcode().find(".volatile") != std::string::npos)
          note("volatile accesses: threads may wait for one another in memory");
        if (i.opcode() == "trap" || i.opcode() == "brkpt") note("a " + i.opcode() + " instruction");
      }
    if (own) return;
    int number = 1;
    for (const std::string& text : lines_of(ptx)) {
      if (text.find("begin inline asm") != std::string::npos) {
        std::set<int>& where = found["inline PTX, its own or from a header"];
        if (const int line = (*program)->source_line(number + 1); line > 0) where.insert(line);
      }
      ++number;
    }
  }

  void lineage() {
    bool first = true;
    for (const Ancestor& a : s_.lineage) {
      const std::string who = first ? "It was" : "Its ancestor " + a.name + " was";
      add(Topic::lineage,
          who +
              (a.exchange.id ? " written by the model " + model_text(a.exchange)
                             : " proposed by the generator " + a.generator) +
              (a.note.empty() ? "" : ": " + a.note),
          first && a.exchange.id != 0);
      first = false;
    }
  }

  void diff() {
    if (s_.candidate.parent.empty()) return;
    if (!s_.parent)
      return add(Topic::diff,
                 "Its parent " + s_.candidate.parent.substr(0, 12) + " is not in this workspace: read the whole text.",
                 true);
    int added = 0, removed = 0;
    for (const diff::DiffLine& l : diff::diff_lines(s_.parent->text, s_.candidate.text))
      added += l.mark == '+', removed += l.mark == '-';
    add(Topic::diff,
        fmt::format("Against its parent {} ({}): {} added, {} removed.", name_of(*s_.parent),
                    store::word_of(s_.parent->state), plural(added, "line"), removed),
        s_.parent->state != store::CandidateState::accepted);
  }

  void measurements() {
    const auto& c = s_.candidate;
    if (c.score)
      add(Topic::measurements, score_text(c) + ", lower is better.");
    else
      add(Topic::measurements, "It has no cost or time.", true);
    for (const store::MeasurementRecord& m : s_.measurements)
      add(Topic::measurements,
          fmt::format("{} measured on {} (driver {}), {}{}.", enum_string(m.kind), m.gpu, m.driver,
                      m.created.substr(0, 10), m.imported ? ": imported, not measured here" : ""),
          m.imported);
    if (!s_.measurements.empty()) return;
    const bool timed = c.score && c.score_provenance == Provenance::measured;
    add(Topic::measurements, timed ? "Nothing else was measured." : "Nothing was measured.");
  }

  void limits() {
    add(Topic::limits,
        fmt::format("{} {} for {}{}.",
                    !s_.candidate.verdict            ? "Not judged yet; the run's device is"
                    : s_.candidate.verdict->accepted ? "Proved on the device"
                                                     : "Judged on the device",
                    is_simt(s_.run.device) ? "simt (PTX on the CPU, not on a GPU)" : s_.run.device, s_.run.architecture,
                    s_.compiler.empty() ? ", compiled by an unknown compiler" : ", compiled by " + s_.compiler),
        is_simt(s_.run.device));
    if (!s_.candidate.verdict) return;
    std::string proved, failed, others;
    for (const evidence::CaseCoverage& c : s_.candidate.verdict->coverage) {
      using evidence::CaseStanding;
      const CaseStanding standing = evidence::standing_of(*s_.candidate.verdict, c);
      std::string& to = standing == CaseStanding::proved ? proved : standing == CaseStanding::failed ? failed : others;
      to += (to.empty() ? "" : "; ") + evidence::binding_text(c.binding);
    }
    add(Topic::limits,
        proved.empty() ? std::string("No case was recorded as proved.") : "Proved shapes: " + proved + ".",
        proved.empty());
    if (!failed.empty()) add(Topic::limits, "Failed shapes: " + failed + ".", true);
    if (!others.empty()) add(Topic::limits, "Shapes without a result: " + others + ".", true);
    checks(s_.candidate.verdict->proof.checks);
    surroundings(*s_.candidate.verdict);
    add(Topic::limits, "Nothing here covers other shapes, inputs or devices.");
  }

  void checks(const evidence::Checks& checks) {
    using evidence::CheckCoverage;
    for (const auto& [answer, how] : {std::pair(CheckCoverage::yes, "Checked for"),
                                      {CheckCoverage::partly, "Checked only partly for"},
                                      {CheckCoverage::no, "Not checked for"},
                                      {CheckCoverage::unknown, "Unknown whether it was checked for"}})
      if (const std::string which = evidence::checks_text(checks, answer); !which.empty())
        add(Topic::limits, fmt::format("{}: {}.", how, which), answer != CheckCoverage::yes);
  }

  void surroundings(const evidence::Verdict& v) {
    if (!v.proof.surroundings) {
      add(Topic::limits, "The verdict does not record what was varied from run to run.", true);
    } else {
      bool concern = evidence::surroundings_text(*v.proof.surroundings, evidence::Varied::yes).empty();
      for (const std::string& text : evidence::surroundings_texts(*v.proof.surroundings)) {  // what varied comes first
        add(Topic::limits, text + ".", concern);
        concern = true;
      }
    }
    if (is_simt(v.device)) return;
    if (!v.proof.also)
      add(Topic::limits, "Not yet judged on the SIMT machine, which checks for races; signing does that.", true);
    else
      add(Topic::limits, evidence::also_text(*v.proof.also), v.proof.also->ruling != evidence::Ruling::accepted);
  }

  void notes() {
    for (const store::ReviewRecord& r : store::standing_reviews(s_.reviews)) {
      if (r.kind == ReviewKind::accepted || r.kind == ReviewKind::countersigned) continue;
      const std::string who =
          (r.reviewer.empty() ? std::string("somebody") : r.reviewer) + ", " + r.created.substr(0, 10);
      const std::string what = r.kind == ReviewKind::note      ? "noted"
                               : r.kind == ReviewKind::changes ? "requested changes"
                                                               : "refused it";
      add(Topic::notes,
          fmt::format("{} {}{}: {}", who, what, r.line > 0 ? fmt::format(" (line {})", r.line) : std::string(), r.text),
          r.kind != ReviewKind::note, r.line);
    }
  }

  const Dossier& s_;
  std::vector<Fact> list_;
};

}  // namespace

Result<Dossier> dossier_of(store::Workspace& workspace, std::int64_t id) {
  Dossier s;
  Result<store::CandidateRecord> candidate = workspace.candidate(id);
  WW_CHECK(candidate);
  s.candidate = std::move(*candidate);
  store::RunRecord run = WW_TRY(workspace.run(s.candidate.run));
  s.run = std::move(run);
  Result<store::OpRecord> op = workspace.op(s.run.op);
  WW_CHECK(op);
  s.op = std::move(*op);
  op::Spec spec = WW_TRY(op::parse_spec(s.op.text, s.op.name));
  s.context.spec = std::move(spec);
  if (const Result<generator::RunOptions> options = generator::options_from_json(s.run.options))
    s.context.binding = options->binding;  // a run of measurements alone has none
  for (const auto& [symbol, value] : s.context.spec.defaults) s.context.binding.symbols.emplace(symbol, value);
  s.context.device = s.run.device;
  s.gpu_here = gpu_here();
  s.context.architecture = s.run.architecture;
  s.context.sentence = s.op.sentence;
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  s.context.rules = std::move(rules);
  profile::AdviceRules advice = WW_TRY(profile::AdviceRules::load());
  s.context.advice = std::move(advice);

  if (Result<candidate::Candidate> parsed = candidate::parse(s.candidate.text, s.candidate.language)) {
    if (Result<candidate::Plan> plan =
            candidate::plan(*parsed, s.context.spec, s.context.binding, candidate::first_tuning(*parsed)))
      s.plan = std::move(*plan);
    s.parsed = std::move(*parsed);
  }
  const auto find = [&](const std::string& hash) -> std::optional<store::CandidateRecord> {
    if (hash.empty()) return {};
    if (Result<store::CandidateRecord> same_run = workspace.candidate_of(s.run.id, hash)) return std::move(*same_run);
    if (Result<store::CandidateRecord> any = workspace.find_candidate(hash)) return std::move(*any);
    return {};
  };
  s.parent = find(s.candidate.parent);
  std::set<std::string> seen;
  for (std::optional<store::CandidateRecord> at = s.candidate;
       at && s.lineage.size() < 64 && seen.insert(at->hash).second;
       at = s.lineage.size() == 1 ? s.parent : find(at->parent)) {
    Ancestor a{at->hash, name_of(*at), at->generator, at->note, {}};
    if (at->exchange) {
      store::ExchangeRecord e = WW_TRY(workspace.exchange(at->exchange));
      a.exchange = std::move(e);
    }
    s.lineage.push_back(std::move(a));
  }
  std::vector<store::MeasurementRecord> measurements = WW_TRY(workspace.measurements(id));
  s.measurements = std::move(measurements);
  std::vector<store::ReviewRecord> reviews = WW_TRY(workspace.reviews(id));
  s.reviews = std::move(reviews);
  if (const auto worker = rpc::worker_report(WW_TRY(workspace.latest_worker(s.run.id))))
    s.compiler = worker->compiler.name();
  if (s.candidate.verdict && !s.candidate.verdict->proof.compiler.empty())
    s.compiler = s.candidate.verdict->proof.compiler;  // a run that was resumed may have met two
  return s;
}

std::vector<Fact> facts_of(const Dossier& dossier) { return Facts(dossier).all(); }

std::string refusal_of(const Dossier& s) {
  const store::CandidateRecord& c = s.candidate;
  if (std::string why = op::unconfirmed_text(s.context.spec, op::Audience::signer); !why.empty()) return why;
  const std::string name = "candidate " + std::to_string(c.id);
  if (c.state == store::CandidateState::duplicate)
    return name + " is the same program as candidate " + c.duplicate_of.substr(0, 12) + ": review that one";
  if (c.state == store::CandidateState::queued)
    return name + " has not been judged yet: the gate comes before the review";
  if (c.state == store::CandidateState::not_judged)
    return name + " was not judged by the gate (" + c.summary + "): only a proved candidate can be signed";
  if (c.state != store::CandidateState::accepted || !c.verdict || !c.verdict->accepted)
    return name + " did not pass the gate (" + (c.summary.empty() ? store::word_of(c.state) : c.summary) +
           "): only a proved candidate can be signed";
  if (Hasher().field(candidate::language_name(c.language)).field(c.text).hex() != c.hash)
    return name + " does not match its hash: its text was changed in the workspace";
  if (c.verdict->candidate != c.hash)
    return "the verdict of " + name + " belongs to another text (" +
           (c.verdict->candidate.empty() ? "it names none" : c.verdict->candidate.substr(0, 12)) + "): judge it again";
  return {};
}

Unexecuted unexecuted_lines(const Dossier& s) {
  Unexecuted u;
  if (s.candidate.verdict && s.candidate.verdict->proof.reach) {
    u.every_case = true;
    for (const ptx::Missed& m : s.candidate.verdict->proof.reach->missed)
      (m.kind == ptx::Miss::line ? u.lines : u.one_way).push_back(m.line);
    return u;
  }
  if (!s.candidate.verdict || !s.candidate.verdict->metrics) return u.why_not = "nothing was counted", u;
  const evidence::Metrics& m = *s.candidate.verdict->metrics;
  if (m.lines.empty())
    return u.why_not = m.provenance == Provenance::measured ? "the hardware does not count lines"
                                                            : "no counts of lines are stored",
           u;
  if (s.candidate.verdict->ptx.empty()) return u.why_not = "its PTX is not stored", u;
  const Result<std::shared_ptr<const simt::Program>> program = simt::load(s.candidate.verdict->ptx);
  if (!program) return u.why_not = "its PTX cannot be read: " + program.error().text(), u;
  std::set<int> there;
  const bool own = s.candidate.language == candidate::Language::ptx;
  for (const simt::Function& f : (*program)->module().functions)
    for (const simt::Instruction& i : f.body)
      if (const int line = own ? i.line : i.source_line; line > 0) there.insert(line);
  for (const evidence::LineCount& l : m.lines)
    if (l.warp_instructions > 0) there.erase(l.line);
  u.lines.assign(there.begin(), there.end());
  return u;
}

static bool is_about(const Item& item, Topic topic) { return std::ranges::find(item.about, topic) != item.about.end(); }

// What changed against a parent is not asked where there is none; what people wrote is read with the findings then.
Checklist checklist_of(const Policy& policy, const Dossier& dossier) {
  Checklist c{policy, {}, refusal_of(dossier), {}, {}, {}};
  if (dossier.parsed) c.holes = candidate::holes_of(*dossier.parsed);
  if (const auto& verdict = dossier.candidate.verdict) {
    c.kept = ptx::kept_variables(verdict->ptx);
    c.untried = evidence::untried_in(verdict->proof);
    if (dossier.gpu_here && verdict->accepted && is_simt(dossier.run.device))
      c.untried.push_back("this machine's GPU: only the SIMT machine has run it");
  }
  const std::vector<Fact> facts = facts_of(dossier);
  const bool nothing_else =
      std::ranges::all_of(policy.items, [](const Item& item) { return is_about(item, Topic::diff); });
  std::vector<Fact> others;  // of what is not asked
  for (const Item& item : policy.items) {
    Question q{item, {}};
    for (const Topic topic : item.about)
      for (const Fact& f : facts)
        if (f.topic == topic) q.facts.push_back(f);
    if (is_about(item, Topic::diff) && dossier.candidate.parent.empty() && !nothing_else)
      others.insert(others.end(), q.facts.begin(), q.facts.end());
    else
      c.questions.push_back(std::move(q));
  }
  if (c.questions.empty()) return c;
  const auto findings =
      std::ranges::find_if(c.questions, [](const Question& q) { return is_about(q.item, Topic::findings); });
  Question& with = findings == c.questions.end() ? c.questions.back() : *findings;
  with.facts.insert(with.facts.end(), others.begin(), others.end());
  return c;
}

}  // namespace ww::review
