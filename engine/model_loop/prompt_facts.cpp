// SPDX-License-Identifier: Apache-2.0
#include "model_loop/prompt_facts.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <fmt/format.h>
#include "base/device_name.h"
#include "base/plural.h"
#include "evidence/metric.h"
#include "candidate/candidate.h"
#include "compile/log.h"
#include "evidence/case_kind.h"
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "gate/case_plan.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "profile/datasheet.h"
#include "profile/occupancy.h"
#include "profile/timing_facts.h"

namespace ww::model_loop {
namespace {

std::string number(double v) {
  return (v == std::floor(v) || std::fabs(v) >= 1e5) && std::fabs(v) < 1e15 ? fmt::format("{:.0f}", v)
                                                                            : fmt::format("{:.6g}", v);
}

std::string shape_text(const op::Spec& spec, const op::Param& p, const op::Binding& binding) {
  const Result<std::vector<std::int64_t>> shape = op::shape_of(spec, p, binding);
  if (!shape || shape->empty()) return "scalar";
  std::string text;
  for (const std::int64_t n : *shape) text += (text.empty() ? "" : " x ") + std::to_string(n);
  return text;
}

// Names of simulated counts that say where the work goes; the others are in the workspace.
bool is_informative(const std::string& name) {
  static constexpr std::string_view prefixes[] = {"warp_instructions", "flops",  "divergent", "global_",
                                                  "shared_",           "local_", "barriers",  "warps",
                                                  "launches",          "blocks", "atomic"};
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view p) { return name.starts_with(p); });
}

void add_metrics(std::string& out, const appraisal::RunContext& g, const evidence::Metrics& m) {
  if (m.provenance == Provenance::simulated) {
    if (const Result<appraisal::Cost> cost = appraisal::simulated_cost(g.rules, m, g.architecture)) {
      out += fmt::format("Cost: {} {} (lower is better; it is not a time), made of", number(cost->total), g.rules.unit);
      for (const appraisal::CostPart& p : cost->parts)
        if (p.cost > 0) out += fmt::format(" {} {:.1f} %,", enum_name(p.group), 100 * p.cost / cost->total);
      out.back() = '\n';
    }
    out += fmt::format("Counts of the case \"{}\", simulated:", m.case_name);
    for (const auto& [name, value] : m.values)
      if (value != 0 && is_informative(name)) out += fmt::format(" {} {};", name, number(value));
    out.back() = '\n';
    return;
  }
  const evidence::Times times = evidence::times_of(m);
  const double median = times.median, floor = m.floor ? m.floor->us : profile::unknown;
  if (std::isfinite(median))
    out += fmt::format(
        "Time of the default case, measured, cold L2 cache: median {:.4g} us, quartiles {:.4g} to {:.4g} us of {} "
        "samples\n",
        median, times.q1, times.q3, number(times.samples));
  if (std::isfinite(times.median_warm))
    out += fmt::format("The same with a warm L2 cache, measured: median {:.4g} us\n", times.median_warm);
  if (std::isfinite(floor) && std::isfinite(median)) {
    out += fmt::format("Roofline floor of this op here, modelled: {:.4g} us, so the kernel reaches {:.0f} % of it",
                       floor, 100 * profile::floor_fraction(floor, median));
    out += " (" + evidence::floor_text(m) + ")\n";
  }
  std::string counters;
  for (const auto& [name, value] : m.values)
    if (evidence::is_hardware_counter(name)) counters += fmt::format(" {} {};", name, number(value));
  if (!counters.empty()) out += "Hardware counters, measured:" + counters + '\n';
  if (const std::string none = evidence::counters_text(m); !none.empty()) out += "Hardware counters: " + none + '\n';
}

// Names of kernels are the source's: without them launches are numbered.
void add_resources(std::string& out, const std::string& architecture, const std::vector<profile::LaunchUse>& uses,
                   bool named) {
  int launch = 0;
  for (const profile::LaunchUse& use : uses) {
    const candidate::PlannedLaunch& l = use.launch;
    ++launch;
    out += fmt::format("Launch {}: {} blocks of {} threads, {} bytes of dynamic shared memory",
                       named ? l.kernel : std::to_string(launch), std::uint64_t{l.grid[0]} * l.grid[1] * l.grid[2],
                       use.shape.block_threads, l.shared_bytes);
    if (const std::optional<compile::KernelResources>& k = use.resources) {
      out += fmt::format("; modelled by ptxas for {}: {} registers per thread, {} bytes of static shared memory",
                         architecture, k->registers, k->static_shared);
      if (k->spill_stores + k->spill_loads > 0)
        out += fmt::format(", spills {} bytes of stores and {} of loads", k->spill_stores, k->spill_loads);
    }
    if (use.occupancy)
      out += fmt::format("; occupancy, modelled: {:.0f} %, {} warps a multiprocessor, limited by {}",
                         100 * use.occupancy->fraction, use.occupancy->warps, enum_string(use.occupancy->limiter));
    out += '\n';
  }
}

std::string tried_text(const gate::CasePlan& plan) {
  std::string out, others;
  for (const evidence::Case& c : plan.fixed) {
    const evidence::CaseKind kind = evidence::case_kind(c.name);
    if (kind == evidence::CaseKind::reduced)
      out += fmt::format(
          "The default case is too large to be run on this device. In its place \"reduced\" ({}) is run, and its "
          "numbers are the cost.\n",
          evidence::binding_text(c.binding));
    else if (kind != evidence::CaseKind::asked)
      others += fmt::format("{}{} ({})", others.empty() ? "" : "; ", c.name, evidence::binding_text(c.binding));
  }
  if (plan.may_reduce)
    out +=
        "Where the device cannot compute the reference of the default case, a smaller one is run in its place, and "
        "its numbers are the cost.\n";
  if (!others.empty())
    out += "It is also tried on these shapes, unless a \"require\" line excludes them: " + others + '\n';
  std::string drawn;
  const auto add = [&](int count, const char* what) {
    if (count > 0) drawn += fmt::format("{}{} {}", drawn.empty() ? "" : ", ", count, what);
  };
  add(plan.random, "of random shapes");
  add(plan.constants, "with other constants than the spec's");
  add(plan.compared, "in which a symbol is a number that the program compares with");
  add(plan.planned, "for which the launch plan or a \"require\" line goes another way than before");
  if (!drawn.empty()) out += "Each judgement adds cases that are drawn only then, at most: " + drawn + '\n';
  return out;
}

}  // namespace

std::string reference_text(const appraisal::RunContext& g) {
  return evidence::tolerance_text(g.spec) +
         "Every output element must be written, inputs must stay unchanged, no access out of bounds, no race, no read "
         "of uninitialized memory.";
}

std::string case_facts(const appraisal::RunContext& g) {
  std::string out = "Default case, which is what counts for speed: " + evidence::binding_text(g.binding) + '\n';
  for (const std::vector<op::Param>* list : {&g.spec.inputs, &g.spec.outputs})
    for (const op::Param& p : *list)
      out += fmt::format("{} {}: {} {}\n", list == &g.spec.inputs ? "input" : "output", p.name, dtype_name(p.dtype),
                         shape_text(g.spec, p, g.binding));
  if (const Result<op::Work> work = op::work_of(g.spec, g.binding))
    out += fmt::format(
        "Work that the op itself needs, modelled: {} operations, {} special functions, {} bytes read, {} bytes "
        "written\n",
        number(work->flops), number(work->special), number(work->bytes_read), number(work->bytes_written));
  if (const Result<gate::CasePlan> plan = gate::case_plan(g.spec, g.binding, g.device)) out += tried_text(*plan);
  return out;
}

std::string device_facts(const appraisal::RunContext& g) {
  std::string out;
  if (is_simt(g.device))
    out = "The SIMT machine: executes the PTX (" + g.architecture + ") and counts. Candidates are ordered by " +
          g.rules.unit +
          ", a weighted sum of these counts (simulated, not a time): arithmetic, special functions, tensor products, "
          "control, shuffles and barriers, shared memory wavefronts and bank conflicts, "
          "global memory sectors; a launch of fewer than " +
          number(g.rules.fill_warps) + " warps in all is charged for idle schedulers. There are no caches in it.\n";
  if (const Result<profile::DeviceLimits> limits = profile::device_limits(g.architecture); is_simt(g.device) && limits)
    if (const std::optional<profile::Datasheet> gpu = profile::modelled_gpu({}, limits->architecture);
        gpu && gpu->multiprocessors > 0)
      out += fmt::format(
          "A GPU of this architecture, the {}, has {} multiprocessors; the machine counts alike for any number.\n",
          gpu->gpu, gpu->multiprocessors);
  if (g.details) {
    const profile::DeviceDetails& d = *g.details;
    out += fmt::format(
        "{} ({}), {} multiprocessors, {} bytes of memory, {} bytes of L2 cache. Candidates are ordered by the measured "
        "time of the default case, cold L2 cache.\n",
        d.gpu, d.architecture, d.multiprocessors, d.memory, d.l2);
    if (!d.datasheet.empty()) {
      out += "Rates of the datasheet, per second:";
      for (const auto& [name, value] : d.datasheet) out += fmt::format(" {} {:.4g};", name, value);
      out.back() = '\n';
    } else if (std::isfinite(d.peak_bandwidth)) {
      out += fmt::format("Modelled from clocks and lanes: {:.4g} bytes and {:.4g} f32 operations a second\n",
                         d.peak_bandwidth, d.peak_f32);
    }
  }
  return out + limits_text(g.architecture);
}

std::string limits_text(const std::string& architecture) {
  const Result<profile::DeviceLimits> l = profile::device_limits(architecture);
  if (!l) return "Architecture " + architecture + "\n";
  return fmt::format(
      "Limits of {} (CUDA C++ Programming Guide): {} threads a warp, at most {} threads a block, {} "
      "threads and {} blocks a multiprocessor, {} registers a multiprocessor and at most {} a "
      "thread, {} bytes of shared memory a multiprocessor and at most {} a block\n",
      l->architecture, l->warp_threads, l->max_threads_per_block, l->max_threads_per_sm, l->max_blocks_per_sm,
      l->registers_per_sm, l->max_registers_per_thread, l->shared_per_sm, l->max_shared_per_block);
}

llm::Sheet context_sheet(const appraisal::RunContext& g) {
  const bool simt = is_simt(g.device);  // its text names no card of this machine
  const std::string device = device_facts(g);
  const std::string nameless = simt ? device : "Architecture: " + g.architecture + "\n" + limits_text(g.architecture);
  return {{"spec", g.spec.text},
          {"reference", reference_text(g)},
          {"case", case_facts(g)},
          {"device", {device, {}, nameless}},
          {"simt", simt ? g.device : std::string()},
          {"request", g.sentence}};
}

llm::SheetText verdict_text(const store::CandidateRecord& c) {
  if (!c.verdict) return {c.summary, enum_string(c.state), {}};
  std::string whole = c.verdict->summary();
  if (c.verdict->ruling() == evidence::Ruling::accepted) return {whole, whole, {}};
  return {std::move(whole), ended_text(c), {}};  // any stage's message may quote the text
}

std::string checked_text(const store::CandidateRecord& c) {
  if (!c.verdict) return {};
  const evidence::Proof& proof = c.verdict->proof;
  std::string out = "\n";
  for (const evidence::CaseCoverage& v : c.verdict->coverage)
    out += fmt::format("{} ({}): {}\n", v.case_name, evidence::binding_text(v.binding),
                       evidence::coverage_text(*c.verdict, v));
  for (const evidence::Unchecked& u : proof.unchecked) out += "Unchecked: " + evidence::unchecked_text(u) + '\n';
  for (const evidence::Loss& l : proof.losses) out += "Precision: " + evidence::loss_text(l) + '\n';
  for (const evidence::Masked& m : proof.masked) out += "Masked: " + evidence::masked_text(m) + '\n';
  return out;
}

llm::SheetText numbers_text(const appraisal::RunContext& g, const store::CandidateRecord& c) {
  std::string whole, nameless;
  if (c.verdict && c.verdict->metrics)
    add_metrics(whole, g, *c.verdict->metrics);
  else
    whole += "Not measured.\n";
  nameless = whole;
  const std::vector<profile::LaunchUse> uses = appraisal::uses_of(g, c);
  add_resources(whole, g.architecture, uses, true);
  add_resources(nameless, g.architecture, uses, false);
  return {std::move(whole), std::move(nameless), {}};
}

std::string lines_text(const store::CandidateRecord& c, std::size_t limit) {
  if (!c.verdict || !c.verdict->metrics) return {};
  std::vector<evidence::LineCount> lines = c.verdict->metrics->lines;
  double total = 0;
  for (const evidence::LineCount& l : lines) total += static_cast<double>(l.warp_instructions);
  if (!(total > 0)) return {};
  // What is slow may run few instructions: a sector costs about as much as three (profile/rules).
  std::ranges::stable_sort(lines, std::greater(),
                           [](const evidence::LineCount& l) { return l.warp_instructions + 3 * l.global_sectors; });
  std::vector<std::string> source;
  for (std::size_t at = 0; at <= c.text.size();) {
    const std::size_t end = std::min(c.text.find('\n', at), c.text.size());
    source.push_back(c.text.substr(at, end - at));
    at = end + 1;
  }
  std::string out =
      "Share of the warp instructions by source line (" + enum_string(c.verdict->metrics->provenance) + "):\n";
  for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) {
    const evidence::LineCount& l = lines[i];
    const double share = 100 * static_cast<double>(l.warp_instructions) / total;
    if (share < 0.05 && l.global_sectors == 0) continue;
    out += fmt::format("line {}: {:.1f} %", l.line, share);
    if (l.global_sectors > 0) out += ", " + plural(l.global_sectors, "global sector");
    if (l.bank_conflicts > 0) out += ", " + plural(l.bank_conflicts, "bank conflict");
    if (l.divergent_branches > 0)
      out += fmt::format(", {} divergent branch{}", l.divergent_branches, l.divergent_branches == 1 ? "" : "es");
    if (l.line > 0 && static_cast<std::size_t>(l.line) <= source.size())
      out += ": " + source[static_cast<std::size_t>(l.line) - 1].substr(0, 160);
    out += '\n';
  }
  return out;
}

llm::SheetText advice_facts(const appraisal::RunContext& g, const store::CandidateRecord& c, std::size_t limit) {
  std::vector<profile::Advice> list = appraisal::advice_of(g, c);
  // What saves none of the cost that ranks them would mislead.
  if (is_simt(g.device)) std::erase_if(list, [](const profile::Advice& a) { return a.gain <= 0; });
  std::string out, without_lines;
  for (std::size_t i = 0; i < std::min(limit, list.size()); ++i) {
    out += fmt::format("{}. {}: {}\n", i + 1, list[i].id, profile::advice_sentences(list[i]));
    list[i].line = 0;
    without_lines += fmt::format("{}. {}: {}\n", i + 1, list[i].id, profile::advice_sentences(list[i]));
  }
  return {std::move(out), std::move(without_lines), {}};
}

std::string score_unit(const appraisal::RunContext& g) {
  return is_simt(g.device) ? g.rules.unit : g.rules.measured_unit + ", measured";
}

llm::SheetText code_text(const std::string& text) {
  return {text,
          "Withheld: the person sends no code to models. Write the whole file anew, from the op and from what is said "
          "here of this candidate.",
          {}};
}

llm::SheetText failure_text(const store::CandidateRecord& c) {
  std::string kind = verdict_text(c).without_sources.value_or(enum_string(c.state));
  if (const evidence::StageResult* last = c.verdict ? c.verdict->last_stage() : nullptr) {
    const std::vector<compile::LogMessage> log = compile::read_log(c.text, last->detail);
    const auto errors =
        std::count_if(log.begin(), log.end(), [](const auto& m) { return m.severity == compile::Severity::error; });
    if (last->stage == evidence::Stage::compile && errors > 0)
      kind += fmt::format(", errors of the compiler: {}", errors);
    if (last->failure && last->failure->fault) kind += ", fault: " + enum_string(last->failure->fault->kind);
  }
  kind += "\nThe code, and the messages that quote it, are withheld: the person sends no code to models.";
  return {rejection_text(c), std::move(kind), {}};
}

std::string ended_text(const store::CandidateRecord& c) {
  const evidence::StageResult* last = c.verdict ? c.verdict->last_stage() : nullptr;
  if (!last) return c.summary;
  return fmt::format("{} at {}", enum_string(c.verdict->ruling()), enum_string(last->stage));
}

namespace {

// "y[0, 3]: expected 22, got 58", a line each, spread over the wrong elements of the matrix with most of them.
std::string samples_text(const evidence::WrongMap& map) {
  constexpr std::size_t most = 8;
  if (map.maps.empty()) return {};
  const evidence::WrongMatrix& m = *std::ranges::max_element(map.maps, {}, &evidence::WrongMatrix::wrong);
  std::vector<std::size_t> wrong;  // cells
  for (std::size_t cell = 0; cell < m.ratio.size(); ++cell)
    if (m.ratio[cell] > 1) wrong.push_back(cell);
  const std::size_t shown = std::min(most, wrong.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t cell = wrong[shown < 2 ? 0 : i * (wrong.size() - 1) / (shown - 1)];
    const bool unwritten = std::ranges::find(m.unwritten, static_cast<std::int64_t>(cell)) != m.unwritten.end();
    text += fmt::format("{}[{}]: expected {:.9g}, {}\n", map.tensor, fmt::join(map.index(m, m.element[cell]), ", "),
                        m.expected[cell],
                        unwritten ? std::string("never written") : fmt::format("got {:.9g}", m.actual[cell]));
  }
  return text;
}

}  // namespace

llm::SheetText wrong_elements_text(const evidence::WrongMap& map) {
  const std::string pattern = evidence::wrong_text(map);
  std::string text = pattern + '\n' + samples_text(map);
  if (const std::string writer = evidence::writer_text(map); !writer.empty()) text += writer + '\n';
  return {std::move(text), pattern, {}};
}

std::string trimmed_log(const std::string& log, std::size_t limit) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    lines.push_back(log.substr(at, end - at).substr(0, 400));
    at = end + 1;
  }
  if (lines.size() <= limit && log.size() <= limit * 120) return log;
  std::vector<bool> keep(lines.size(), false);
  bool any = false;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < lines.size() && kept < limit; ++i) {
    if (lines[i].find("error") == std::string::npos && lines[i].find("fatal") == std::string::npos) continue;
    any = true;
    for (std::size_t k = i == 0 ? 0 : i - 1; k < std::min(lines.size(), i + 4) && kept < limit;
         ++k) {  // what the compiler shows of the source follows its sentence
      kept += keep[k] ? 0 : 1;
      keep[k] = true;
    }
  }
  if (!any)
    for (std::size_t i = 0; i < std::min(limit, lines.size()); ++i) keep[i] = true;
  std::string out;
  bool gap = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (keep[i])
      out += lines[i] + '\n';
    else if (!gap)
      out += "…\n";
    gap = !keep[i];
  }
  return out;
}

std::string rejection_text(const store::CandidateRecord& c, std::size_t log_lines) {
  if (!c.verdict) return c.summary;
  evidence::Verdict v = *c.verdict;
  for (evidence::StageResult& s : v.stages) s.detail = trimmed_log(s.detail, log_lines);
  std::string out = evidence::failure_text(v, 16000);
  for (const evidence::StageResult& s : v.stages) {
    if (!s.failure || !s.failure->fault || s.failure->fault->line <= 0) continue;
    std::size_t at = 0;
    for (int line = 1; line < s.failure->fault->line && at != std::string::npos; ++line)
      at = c.text.find('\n', at) == std::string::npos ? std::string::npos : c.text.find('\n', at) + 1;
    if (at != std::string::npos && at < c.text.size())
      out += fmt::format("\nline {} is: {}", s.failure->fault->line,
                         c.text.substr(at, std::min(c.text.find('\n', at), c.text.size()) - at).substr(0, 240));
  }
  return out;
}

std::string lost_text(const std::vector<Lost>& lost, const std::string& lineage, const std::string& parent) {
  std::size_t unread = 0, only_called = 0;
  std::map<std::string, std::size_t> repeats;
  for (const Lost& l : lost) {
    if (l.lineage != lineage && (parent.empty() || l.parent != parent)) continue;
    if (l.only_called)
      ++only_called;
    else if (l.repeats.empty())
      ++unread;
    else
      ++repeats[l.repeats];
  }
  std::string out;
  for (const auto& [hash, count] : repeats)
    out += fmt::format("- {} x the text of {} came back{}: write something that differs from it\n", count,
                       hash == parent ? "the candidate to start from" : "candidate " + hash.substr(0, 12),
                       hash == parent ? " unchanged" : " again");
  if (only_called > 0)
    out += fmt::format("- {} x nothing but calls of tools, until none were left, and no candidate: answer in time\n",
                       only_called);
  if (unread > 0)
    out += fmt::format("- {} x a reply that held no candidate: answer in the form that is asked for\n", unread);
  return out;
}

std::string structures_text(const std::vector<const generator::Feedback*>& seen, const std::string& unit,
                            std::size_t limit) {
  struct Tried {
    std::string name;
    std::size_t tried = 0, accepted = 0;
    const generator::Feedback* best = nullptr;
  };
  std::vector<Tried> list;
  for (const generator::Feedback* f : seen) {
    if (f->structure.empty() || !f->duplicate_of.empty()) continue;
    auto at = std::find_if(list.begin(), list.end(), [&](const Tried& t) { return t.name == f->structure; });
    if (at == list.end()) at = list.insert(at, {f->structure, 0, 0, nullptr});
    ++at->tried;
    at->accepted += f->accepted;
    if (f->accepted && f->ranked && (!at->best || f->score < at->best->score)) at->best = f;
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Tried& a, const Tried& b) { return a.best && (!b.best || a.best->score < b.best->score); });
  std::string out;
  for (std::size_t i = 0; i < std::min(limit, list.size()); ++i) {
    const Tried& t = list[i];
    out += fmt::format("- {}: {}, {} tried, {} proved\n", t.name,
                       t.best ? number(t.best->score) + " " + unit : std::string("no score"), t.tried, t.accepted);
  }
  if (list.size() > limit) out += fmt::format("({} others are left out)\n", list.size() - limit);
  return out;
}

namespace {
std::string ordinal(std::size_t n) {
  static constexpr std::array<const char*, 5> words{"first", "second", "third", "fourth", "fifth"};
  if (n - 1 < words.size()) return words[n - 1];
  const bool teen = n / 10 % 10 == 1;
  const char* const ending = teen || n % 10 == 0 || n % 10 > 3 ? "th" : n % 10 == 1 ? "st" : n % 10 == 2 ? "nd" : "rd";
  return fmt::format("{}{}", n, ending);
}
}  // namespace

std::string other_structure_text(std::size_t place, std::size_t siblings) {
  std::string out =
      "Choose a structure that was not tried yet, if one can be better, and name it in the line \"//@ structure\".";
  if (siblings > 1)
    out += fmt::format(" {} attempts begin at the same time, and yours is number {}: take the {} one you think of.",
                       siblings, place + 1, ordinal(place + 1));
  return out;
}

std::string other_change_text(std::size_t made, std::size_t place, std::size_t siblings) {
  std::string out;
  if (made > 0)
    out = fmt::format("{} from the candidate below already. Make a change that {} did not make.",
                      made == 1 ? "One attempt started" : fmt::format("{} attempts started", made),
                      made == 1 ? "it" : "they");
  if (siblings > 1)
    out +=
        fmt::format("{}{} attempts start from it at the same time, and yours is number {}: {}.", out.empty() ? "" : " ",
                    siblings, place + 1, "make the " + ordinal(place + 1) + " change you think of");
  return out;
}

std::string diagnosis_text(const llm::Diagnosis& diagnosis, std::size_t turn, bool inherited) {
  std::string out = diagnosis.text();
  if (inherited)
    out +=
        "\nIt is of the candidate that the one to start from was made of, by one of these moves: where the two differ, "
        "the numbers above count.";
  if (diagnosis.moves.size() > 1 && turn > 0)
    out += fmt::format("\nOther attempts take the other moves: take move {}.", turn % diagnosis.moves.size() + 1);
  else if (!diagnosis.moves.empty())
    out += "\nTake the first move that you can carry out well.";
  return out;
}

namespace {

struct Tried {  // attempts that came to the same end
  std::vector<std::string> changes;
  std::string became, hash, kind;  // of the last; kind: the end without its numbers
  const generator::Feedback* last = nullptr;
  bool from_parent = false;
};

// Rejections that differ in numbers alone are one: "y[0, 3] is 58, expected 22", "y[0, 4] is 60, expected 23".
std::string without_numbers(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "0x") == 0)  // an address: its letters are digits, too
      i = std::min(text.find_first_not_of("0123456789abcdefABCDEF", i + 2), text.size()) - 1;
    else if (text[i] < '0' || text[i] > '9')
      out += text[i];
  }
  return out;
}

std::string outcome_text(const generator::Feedback& f, const std::string& unit) {
  if (f.accepted && f.ranked) return fmt::format("proved, {} {}", number(f.score), unit);
  return f.verdict.substr(0, f.verdict.find('\n')).substr(0, 240);
}

std::string tried_text(const Tried& t, const std::string& parent, const generator::Feedback* best) {
  std::string changes;
  constexpr std::size_t named = 3;
  for (std::size_t i = 0; i < std::min(named, t.changes.size()); ++i) changes += (i == 0 ? "" : "; ") + t.changes[i];
  if (t.changes.size() > named) changes += fmt::format("; and {} others", t.changes.size() - named);
  std::string marks = t.hash.substr(0, 12);
  if (!parent.empty() && t.last->hash == parent) marks += ", the candidate to start from";
  if (t.from_parent) marks += ", made from the candidate to start from";
  if (t.last == best) marks += ", the best so far";
  const std::string count = t.changes.size() > 1 ? fmt::format("{} x ", t.changes.size()) : std::string();
  return fmt::format("- {}{}: {} ({})\n", count, changes, t.became, marks);
}

}  // namespace

std::string attempts_text(const std::vector<const generator::Feedback*>& attempts,
                          const std::vector<std::string>& notes, const std::string& unit, const std::string& parent,
                          std::size_t limit) {
  std::vector<Tried> all;
  const generator::Feedback* best = nullptr;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const generator::Feedback& f = *attempts[i];
    if (f.accepted && f.ranked && (!best || f.score < best->score)) best = &f;
    Tried t{{i < notes.size() && !notes[i].empty() ? notes[i]
             : f.structure.empty()                 ? "a candidate"
                                                   : f.structure},
            outcome_text(f, unit),
            f.hash,
            without_numbers(outcome_text(f, unit)),
            &f,
            !parent.empty() && f.parent == parent};
    const auto same = std::ranges::find_if(all, [&](const Tried& o) {
      const bool ends_alike = !f.accepted && !o.last->accepted && o.kind == t.kind;
      const bool is_same_program = !f.duplicate_of.empty() && f.duplicate_of == o.last->duplicate_of;
      return (ends_alike || is_same_program) && o.from_parent == t.from_parent && f.hash != parent &&
             o.last->hash != parent;
    });
    if (same != all.end()) {  // it moves to the end
      t.changes.insert(t.changes.begin(), same->changes.begin(), same->changes.end());
      all.erase(same);
    }
    all.push_back(std::move(t));
  }
  std::string out;
  std::size_t left_out = all.size() - std::min(limit, all.size());
  if (left_out > 0) out += fmt::format("({} earlier ones are left out)\n", left_out);
  for (const Tried& t : all) {
    const bool stays = t.last == best || t.last->hash == parent;
    if (left_out > 0 && !stays)
      --left_out;
    else
      out += tried_text(t, parent, attempts.size() > 1 ? best : nullptr);
  }
  return out;
}

}  // namespace ww::model_loop
