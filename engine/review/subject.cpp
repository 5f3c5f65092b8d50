// SPDX-License-Identifier: Apache-2.0
// A candidate with all that the workspace holds on it, and the facts that are read from that.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include "base/hash.h"
#include "explore/diff.h"
#include "explore/explain.h"
#include "explore/options_json.h"
#include "explore/worker_facts.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "review/checklist.h"
#include "simt/module.h"
#include "simt/program.h"
#include "store/standing.h"

namespace ww::review {
namespace {

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

std::string model_text(const store::ExchangeRecord& e) {
  return e.model + " as " + e.role + (e.prompt.empty() ? std::string() : ", prompt " + e.prompt);
}

class Facts {
 public:
  explicit Facts(const Subject& subject) : s_(subject) {}

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
  void add(const char* topic, std::string text, bool concern = false, int line = 0) {
    list_.push_back({topic, std::move(text), line, concern});
  }

  void spec() {
    if (!s_.op.sentence.empty()) add("spec", "It was asked for in these words: " + s_.op.sentence);
    add("spec", s_.op.text);
    add("spec", "Default case: " + explore::binding_text(s_.ground.binding));
    if (Result<std::string> example = op::worked_example(s_.ground.spec)) add("spec", "Worked example\n" + *example);
  }

  void evidence() {
    if (!s_.candidate.verdict) return add("evidence", "There is no verdict yet.", true);
    const gate::Verdict& v = *s_.candidate.verdict;
    for (const gate::StageResult& r : v.stages)
      add("evidence", fmt::format("{}: {}. {}", gate::stage_name(r.stage), gate::outcome_name(r.outcome), r.message),
          r.outcome != gate::Outcome::passed);
    for (const gate::CaseCoverage& c : v.coverage) {
      const std::string what = "case " + c.case_name + " (" + explore::binding_text(c.binding) + ")";
      if (!c.claimed)
        add("coverage", what + " is not claimed by the candidate: nothing is known of it", true);
      else if (c.seeds == 0)
        add("coverage", what + " is claimed, but was not run", true);
      else
        add("coverage", fmt::format("{}: {} input sets proved", what, c.seeds));
    }
    bool any = false;
    for (const gate::StageResult& r : v.stages)  // the sentence of gate.cpp, cases()
      if (const std::size_t at = r.message.find("no finite error bound"); at != std::string::npos) {
        const std::size_t from = r.message.rfind("; ", at);
        add("unproved", r.message.substr(from == std::string::npos ? 0 : from + 2), true);
        any = true;
      }
    if (!any)
      add("unproved", "Every element of every output that was computed has a finite error bound and was compared.");
  }

  void lines() {
    const Unexecuted u = unexecuted_lines(s_);
    if (!u.why_not.empty()) return add("lines", "Which lines were executed is not known: " + u.why_not, true);
    const std::string which = s_.candidate.verdict->metrics->case_name;
    if (u.lines.empty())
      return add("lines", "Every line with machine code was executed in the counted case " + which + " (simulated).");
    const std::vector<std::string> text = lines_of(s_.candidate.text);
    for (const int line : u.lines)
      add("lines",
          fmt::format("line {} was not executed in the counted case {} (simulated): {}", line, which,
                      line > 0 && static_cast<std::size_t>(line) <= text.size() ? text[line - 1] : ""),
          true, line);
  }

  void findings() {
    const std::size_t before = list_.size();
    if (s_.parsed) {
      for (const std::string& option : s_.parsed->options)
        add("findings",
            option == "fast-math" ? std::string("compiled with fast-math: divisions, roots and functions are "
                                                "approximate, denormals are zero, and NaN and infinities may be lost")
                                  : "compiled with the option " + option,
            true);
      for (const op::ExprPtr& e : s_.parsed->requires_)
        add("findings", "it claims only cases with " + op::print(*e), true);
    }
    if (!s_.candidate.verdict || s_.candidate.verdict->ptx.empty()) {
      add("findings", "Its PTX is not stored: atomics and inline PTX were not looked for", true);
    } else {
      std::map<std::string, std::set<int>> found;
      instructions(found);
      for (const auto& [what, where] : found)
        add("findings", what + (where.empty() ? std::string() : ", " + listed(where)), true,
            where.empty() ? 0 : *where.begin());
    }
    if (s_.candidate.verdict)
      for (const gate::StageResult& r : s_.candidate.verdict->stages)
        if (r.message.find("not bitwise reproducible") != std::string::npos) add("findings", r.message, true);
    if (list_.size() == before)
      add("findings",
          "None: no compiler option, no limit of its claims, no atomics, no inline PTX, bitwise the same when "
          "repeated.");
    for (std::string line : lines_of(explore::advice_facts(s_.ground, s_.candidate, 20))) {
      if (const std::size_t dot = line.find(". "); dot != std::string::npos && dot < 4) line.erase(0, dot + 2);
      if (!line.empty()) add("advice", std::move(line));
    }
  }

  // From the PTX, not from the text: macros cannot hide anything there.
  void instructions(std::map<std::string, std::set<int>>& found) {
    const std::string& ptx = s_.candidate.verdict->ptx;
    const Result<std::shared_ptr<const simt::Program>> program = simt::load(ptx);
    if (!program) {
      found["its PTX could not be read for atomics: " + program.error().text()];
      return;
    }
    const bool own = s_.candidate.language == "ptx";  // then the PTX is the candidate's text, line by line
    const auto place = [own](int ptx_line, int source_line) { return own ? ptx_line : source_line; };
    for (const simt::Function& f : (*program)->module().functions)
      for (const simt::Instruction& i : f.body) {
        const int line = place(i.line, i.source_line);
        const auto note = [&](const std::string& what) {
          line > 0 ? (void)found[what].insert(line) : (void)found[what];
        };
        if (i.opcode.starts_with("atom") || i.opcode.starts_with("red."))
          note("atomics: the order in which threads arrive is not fixed");
        if (i.opcode.find(".volatile") != std::string::npos)
          note("volatile accesses: threads may wait for one another in memory");
        if (i.opcode == "trap" || i.opcode == "brkpt") note("a " + i.opcode + " instruction");
      }
    if (own) return;
    int number = 1;
    for (const std::string& text : lines_of(ptx)) {
      if (text.find("begin inline asm") != std::string::npos) {
        std::set<int>& where = found["inline PTX, of its own or of a header"];
        if (const int line = (*program)->source_line(number + 1); line > 0) where.insert(line);
      }
      ++number;
    }
  }

  void lineage() {
    bool first = true;
    for (const Ancestor& a : s_.lineage) {
      const std::string who = first ? "It was" : "Its ancestor " + a.hash.substr(0, 12) + " was";
      add("lineage",
          who +
              (a.exchange.id ? " written by the model " + model_text(a.exchange)
                             : " proposed by the generator " + a.generator) +
              (a.note.empty() ? "" : ": " + a.note),
          first && a.exchange.id != 0);
      first = false;
    }
  }

  void diff() {
    if (!s_.parent)
      return add("diff",
                 s_.candidate.parent.empty() ? std::string("It has no parent: the whole text is new.")
                                             : "Its parent " + s_.candidate.parent.substr(0, 12) +
                                                   " is not in this workspace: read the whole text.",
                 !s_.candidate.parent.empty());
    int added = 0, removed = 0;
    for (const explore::DiffLine& l : explore::diff_lines(s_.parent->text, s_.candidate.text))
      added += l.mark == '+', removed += l.mark == '-';
    add("diff",
        fmt::format("Against its parent {} ({}): {} lines added, {} removed.", s_.parent->hash.substr(0, 12),
                    s_.parent->state, added, removed),
        s_.parent->state != "accepted");
  }

  void measurements() {
    const auto& c = s_.candidate;
    if (c.score)
      add("measurements",
          fmt::format("Score {:.6g} {} ({}), lower is better.", *c.score, c.score_unit, c.score_provenance));
    else
      add("measurements", "It has no score.", true);
    for (const store::MeasurementRecord& m : s_.measurements)
      add("measurements",
          fmt::format("{} measured on {} (driver {}), {}.", m.kind, m.gpu, m.driver, m.created.substr(0, 10)));
    if (s_.measurements.empty()) add("measurements", "Nothing else was measured.");
  }

  void limits() {
    add("limits",
        fmt::format("Proved on the device {} for {}{}.",
                    s_.run.device == "simt" ? "simt (PTX on the CPU, not on a GPU)" : s_.run.device,
                    s_.run.architecture, s_.compiler.empty() ? std::string() : ", compiled by " + s_.compiler),
        s_.run.device == "simt");
    if (!s_.candidate.verdict) return;
    std::string proved, others;
    for (const gate::CaseCoverage& c : s_.candidate.verdict->coverage) {
      std::string& to = c.claimed && c.seeds > 0 ? proved : others;
      to += (to.empty() ? "" : "; ") + explore::binding_text(c.binding);
    }
    add("limits",
        proved.empty() ? std::string("No case was recorded as proved.") : "Shapes that were proved: " + proved + ".",
        proved.empty());
    if (!others.empty()) add("limits", "Shapes of which nothing is known: " + others + ".", true);
    add("limits", "Other shapes, other inputs and other devices follow from none of this.");
  }

  void notes() {
    for (const store::ReviewRecord& r : store::standing_reviews(s_.reviews)) {
      if (r.kind == "accepted" || r.kind == "countersigned") continue;
      const std::string who =
          (r.reviewer.empty() ? std::string("somebody") : r.reviewer) + ", " + r.created.substr(0, 10);
      const std::string what = r.kind == "note" ? "noted" : r.kind == "changes" ? "asked for changes" : "rejected it";
      add("notes",
          fmt::format("{} {}{}: {}", who, what, r.line > 0 ? fmt::format(" (line {})", r.line) : std::string(), r.text),
          r.kind != "note", r.line);
    }
  }

  const Subject& s_;
  std::vector<Fact> list_;
};

}  // namespace

Result<Subject> subject_of(store::Workspace& workspace, std::int64_t id) {
  Subject s;
  Result<store::CandidateRecord> candidate = workspace.candidate(id);
  WW_CHECK(candidate);
  s.candidate = std::move(*candidate);
  store::RunRecord run = WW_TRY(workspace.run(s.candidate.run));
  s.run = std::move(run);
  Result<store::OpRecord> op = workspace.op(s.run.op);
  WW_CHECK(op);
  s.op = std::move(*op);
  op::Spec spec = WW_TRY(op::parse_spec(s.op.text, s.op.name));
  s.ground.spec = std::move(spec);
  if (const Result<explore::RunOptions> options = explore::options_from_json(s.run.options))
    s.ground.binding = options->binding;  // a run of measurements alone has none
  for (const auto& [symbol, value] : s.ground.spec.defaults) s.ground.binding.symbols.emplace(symbol, value);
  s.ground.device = s.run.device;
  s.ground.architecture = s.run.architecture;
  s.ground.sentence = s.op.sentence;
  explore::RankRules rules = WW_TRY(explore::RankRules::load());
  s.ground.rules = std::move(rules);
  profile::AdviceRules advice = WW_TRY(profile::AdviceRules::load());
  s.ground.advice = std::move(advice);

  if (Result<candidate::Candidate> parsed = candidate::parse(
          s.candidate.text, s.candidate.language == "ptx" ? candidate::Language::ptx : candidate::Language::cuda)) {
    if (Result<candidate::Plan> plan =
            candidate::plan(*parsed, s.ground.spec, s.ground.binding, candidate::first_tuning(*parsed)))
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
    Ancestor a{at->hash, at->generator, at->note, {}};
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
  const std::vector<store::MessageRecord> messages = WW_TRY(workspace.messages(s.run.id));
  for (const store::MessageRecord& m : messages)
    if (m.level == "environment")
      for (const auto& [name, value] : explore::worker_facts(m.text))
        if (name == "compiler, version") s.compiler = "NVRTC " + value;
  if (s.candidate.verdict)
    for (const gate::StageResult& r : s.candidate.verdict->stages)  // what compiled this one, as gate.cpp says it: a
                                                                    // run that was resumed may have met two compilers
      if (r.stage == gate::Stage::compile && (r.message.starts_with("NVRTC ") || r.message.starts_with("nvJitLink ")))
        s.compiler = r.message.substr(0, r.message.find(" (from"));
  return s;
}

std::vector<Fact> facts_of(const Subject& subject) { return Facts(subject).all(); }

std::string refusal_of(const Subject& s) {
  const store::CandidateRecord& c = s.candidate;
  const std::string name = "candidate " + std::to_string(c.id);
  if (c.state == "duplicate")
    return name + " is the same program as candidate " + c.duplicate_of.substr(0, 12) + ": review that one";
  if (c.state == "queued") return name + " has not been judged yet: the gate comes before the person";
  if (c.state != "accepted" || !c.verdict || !c.verdict->accepted)
    return name + " was not accepted by the gate (" + (c.summary.empty() ? c.state : c.summary) +
           "): no person can accept what was not proved";
  if (Hasher().field(c.language).field(c.text).hex() != c.hash)
    return name + " does not fit its hash: its text was changed in the workspace";
  if (c.verdict->candidate != c.hash)
    return "the verdict of " + name + " is of another text (" +
           (c.verdict->candidate.empty() ? "it names none" : c.verdict->candidate.substr(0, 12)) + "): judge it again";
  return {};
}

Unexecuted unexecuted_lines(const Subject& s) {
  Unexecuted u;
  if (!s.candidate.verdict || !s.candidate.verdict->metrics) return u.why_not = "nothing was counted", u;
  const gate::Metrics& m = *s.candidate.verdict->metrics;
  if (m.lines.empty())
    return u.why_not =
               m.provenance == "measured" ? "the hardware does not count lines" : "no counts of lines are stored",
           u;
  if (s.candidate.verdict->ptx.empty()) return u.why_not = "its PTX is not stored", u;
  const Result<std::shared_ptr<const simt::Program>> program = simt::load(s.candidate.verdict->ptx);
  if (!program) return u.why_not = "its PTX cannot be read: " + program.error().text(), u;
  std::set<int> there;
  const bool own = s.candidate.language == "ptx";
  for (const simt::Function& f : (*program)->module().functions)
    for (const simt::Instruction& i : f.body)
      if (const int line = own ? i.line : i.source_line; line > 0) there.insert(line);
  for (const gate::LineCount& l : m.lines)
    if (l.warp_instructions > 0) there.erase(l.line);
  u.lines.assign(there.begin(), there.end());
  return u;
}

Checklist checklist_of(const Policy& policy, const Subject& subject) {
  Checklist c{policy, {}, refusal_of(subject)};
  const std::vector<Fact> facts = facts_of(subject);
  for (const Item& item : policy.items) {
    Question q{item, {}};
    for (const std::string& topic : item.about)
      for (const Fact& f : facts)
        if (f.topic == topic) q.facts.push_back(f);
    c.questions.push_back(std::move(q));
  }
  return c;
}

}  // namespace ww::review
