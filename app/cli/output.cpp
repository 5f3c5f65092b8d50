// SPDX-License-Identifier: Apache-2.0
#include "output.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include "answer.h"
#include "base/records.h"
#include "console.h"
#include "evidence/explain.h"
#include "evidence/describe.h"
#include "evidence/verdict_json.h"
#include "op/doubts.h"
#include "op/parse.h"
#include "rpc/worker_report.h"
#include "store/paste.h"
#include "store/words.h"
#include "evidence/stage_word.h"

namespace ww::cli {
namespace fs = std::filesystem;

void print_text(const std::string& text) {
  put(Stream::out, text);
  if (!text.ends_with('\n')) put(Stream::out, "\n");
}

Json answer_json(const std::string& command, const Json& members) {
  Json all = {{"schema", "warpwright-cli/1"}, {"command", command}};
  all.update(members);
  return all;
}

void print_json(const Common& common, Json members) {
  put_json(answer_json(common.command, members).dump(2, ' ', false, Json::error_handler_t::replace));
}

int print_answer(const Common& common, Answer answer) {
  if (common.json)
    print_json(common, std::move(answer.json));
  else if (common.format == "csv")
    put(Stream::out, csv_of(answer.records));
  else if (common.format == "markdown")
    put(Stream::out, markdown_of(answer.records));
  else
    print_text(answer.text);
  return answer.exit;
}

Json error_json(const Error& error) {
  return {{"code", std::string(code_name(error.code))},
          {"message", error.message},
          {"cause", error.cause},
          {"line", error.place ? Json(error.place->line) : Json(nullptr)},
          {"column", error.place ? Json(error.place->column) : Json(nullptr)},
          {"hint", error.hint.empty() ? Json(nullptr) : Json(error.hint)}};
}

int failed(const Common& common, const Error& error) {
  switch (error.code) {
    case Code::invalid_argument:
    case Code::parse:
    case Code::not_found: return failed(common, error, Exit::usage);
    case Code::unavailable:
    case Code::denied:
    case Code::untrusted:
    case Code::io:
    case Code::corrupt:
    case Code::unsupported: return failed(common, error, Exit::environment);
    default: return failed(common, error, Exit::negative);
  }
}

int failed(const Common& common, const Error& error, int exit_code) {
  if (error.code == Code::cancelled) exit_code = Exit::stopped;
  if (common.json) {
    print_json(common, {{"error", error_json(error)}});
  } else {
    // The cause of an error with a place shows the message in the text, and its hint.
    std::string text = error.place && !error.cause.empty() ? "" : "warpwright-cli: " + error.message + '\n';
    if (!error.cause.empty()) text += error.cause + (error.cause.back() == '\n' ? "" : "\n");
    if (!error.place && !error.hint.empty()) text += error.hint + '\n';
    put(Stream::error, text);
  }
  return exit_code;
}

Json run_json(const store::Workspace& workspace, store::RunRecord run) {
  run.state = state_of(workspace, run);
  return json::of(run);
}

Json verdict_json(const evidence::Verdict& verdict, bool with_ptx) {
  evidence::StoredVerdict shown{.verdict = verdict};
  if (!with_ptx) shown.verdict.ptx.clear();
  return json::of(shown);
}

Json spec_json(const op::Spec& spec) {
  const auto tensors = [](const std::vector<op::Param>& params) {
    Json list = Json::array();
    for (const op::Param& p : params) {
      Json shape = Json::array();
      for (const op::ExprPtr& e : p.shape) shape.push_back(op::print(*e));
      list.push_back({{"name", p.name}, {"dtype", std::string(dtype_name(p.dtype))}, {"shape", shape}});
    }
    return list;
  };
  Json defaults = Json::object();
  for (const auto& [name, value] : spec.defaults) defaults[name] = value;
  return {{"name", spec.name},
          {"text", op::print(spec)},
          {"inputs", tensors(spec.inputs)},
          {"outputs", tensors(spec.outputs)},
          {"symbols", spec.symbols},
          {"defaults", defaults}};
}

std::string unconfirmed_line(store::Workspace& workspace, std::int64_t run) {
  const Result<store::RunRecord> record = workspace.run(run);
  if (!record) return {};
  const Result<store::OpRecord> op = workspace.op(record->op);
  const std::string mark = op ? op::unconfirmed_text(op->text, op::Audience::reader) : std::string();
  return mark.empty() ? mark : coloured(Colour::yellow, mark + '.') + '\n';
}

std::string score_text(const appraisal::Score& score) {
  return score.provenance == Provenance::simulated ? fmt::format("{:.0f}", score.value)
                                                   : fmt::format("{:.4g} {}", score.value, score.unit);
}

namespace {

std::string stages_text(const evidence::Verdict& v) {
  std::string out;
  for (const evidence::StageResult& s : v.stages) {
    const char* mark = s.outcome == evidence::Outcome::passed       ? "ok  "
                       : s.outcome == evidence::Outcome::failed     ? "FAIL"
                       : s.outcome == evidence::Outcome::not_judged ? "??  "
                                                                    : "--  ";
    const Colour colour = s.outcome == evidence::Outcome::passed       ? Colour::green
                          : s.outcome == evidence::Outcome::failed     ? Colour::red
                          : s.outcome == evidence::Outcome::not_judged ? Colour::yellow
                                                                       : Colour::dim;
    out += fmt::format("  {}  {:<12}{}\n", coloured(colour, mark), evidence::stage_word(v, s.stage),
                       safe_lines(s.message, std::string(20, ' ')));
  }
  return out;
}

std::string cases_text(const evidence::Verdict& v) {
  if (v.coverage.empty()) return {};
  std::string out = "\nCases\n";
  std::size_t name = 12, sizes = 40;
  for (const evidence::CaseCoverage& c : v.coverage) {
    name = std::max(name, c.case_name.size() + 1);
    sizes = std::max(sizes, evidence::binding_text(c.binding).size() + 2);
  }
  for (const evidence::CaseCoverage& c : v.coverage)
    out += fmt::format("  {:<{}}{:<{}}{}\n", c.case_name, name, evidence::binding_text(c.binding), sizes,
                       evidence::coverage_text(v, c));
  return out;
}

std::string measured_text(const evidence::Metrics& m) {
  std::string out = fmt::format("\nMeasured (case {})\n", m.case_name);
  for (const auto& [name, value] : m.values) out += fmt::format("  {:<60}{:>16.6g}\n", safe(name), value);
  if (m.floor) out += fmt::format("  {:<60}{:>16.6g}\n", "floor_us", m.floor->us);
  for (const auto& [name, value] : evidence::condition_rows(m.conditions))
    out += fmt::format("  {}: {}\n", safe(name), safe(value));
  for (const auto& [name, text] : {std::pair("floor", evidence::floor_text(m)),
                                   {"impossible", m.impossible},
                                   {"counters", evidence::counters_text(m)}})
    if (!text.empty()) out += fmt::format("  {}: {}\n", name, safe(text));
  return out;
}

std::string counts_text(const evidence::Metrics& m) {
  std::string out = fmt::format("\nCounts ({}, case {})\n", enum_string(m.provenance), m.case_name);
  for (const char* name : {"launches", "blocks", "warps", "warp_instructions", "thread_instructions", "global_sectors",
                           "shared_wavefronts", "bank_conflicts", "divergent_branches", "barriers", "global_atomics"})
    for (const auto& [n, value] : m.values)
      if (n == name) out += fmt::format("  {:<22}{:>16.0f}\n", n, value);
  return out;
}

}  // namespace

std::string verdict_text(const evidence::Verdict& v) {
  std::string out = stages_text(v);
  if (const std::string why = evidence::failure_text(v); !why.empty()) {
    out += '\n';
    std::size_t begin = 0;
    while (begin <= why.size()) {
      const std::size_t end = std::min(why.find('\n', begin), why.size());
      out += "    " + safe(std::string_view(why).substr(begin, end - begin)) + '\n';
      begin = end + 1;
    }
  }
  if (const std::string_view flag = evidence::remedy_of(v).flag; !flag.empty())
    out += "    Option: " + std::string(flag) + '\n';
  out += cases_text(v);
  if (v.proof.tried) out += "\nTried: " + safe(evidence::tried_text(*v.proof.tried)) + '\n';
  if (v.proof.precision == op::Precision::strict) out += "\nPrecision: strict\n";
  if (v.proof.surroundings) {
    out += "\nSurroundings\n";
    for (const std::string& text : evidence::surroundings_texts(*v.proof.surroundings))
      out += "  " + safe_lines(text, "  ") + '\n';
  }
  if (v.proof.also) out += "  " + safe(evidence::also_text(*v.proof.also)) + '\n';
  for (const evidence::Unchecked& u : v.proof.unchecked)
    out += "\nUnchecked: " + safe(evidence::unchecked_text(u)) + '\n';
  for (const evidence::Loss& l : v.proof.losses) out += "\nPrecision: " + safe(evidence::loss_text(l)) + '\n';
  for (const evidence::Masked& m : v.proof.masked) out += "\nMasked: " + safe(evidence::masked_text(m)) + '\n';
  if (v.proof.mutants) {
    out += "\nInputs\n  " + evidence::mutants_text(*v.proof.mutants) + '\n';
    for (const evidence::Survivor& s : v.proof.mutants->survivors)
      out += "    " + safe(evidence::survivor_text(s)) + '\n';
    if (const int more = v.proof.mutants->unlisted(); more > 0)
      out += fmt::format("    {} more are not listed\n", more);
  }
  if (v.proof.long_tensors)
    out += "\nLong tensors\n  " + safe(evidence::long_tensors_text(*v.proof.long_tensors)) + '\n';
  if (!v.resources.empty()) {
    out += "\nResources (modelled by ptxas)\n";
    for (const compile::KernelResources& k : v.resources)
      out += fmt::format("  {}: {} registers, {} bytes of static shared memory, {} bytes of stack, {} bytes spilled\n",
                         safe(k.kernel), k.registers, k.static_shared, k.stack, k.spill_stores);
  }
  if (v.metrics)
    out += v.metrics->provenance == Provenance::measured ? measured_text(*v.metrics) : counts_text(*v.metrics);
  return out;
}

std::string ranked_text(std::vector<explore::CandidateRow> rows) {
  const auto key = [](const explore::CandidateRow& r) {
    return r.rank                                       ? *r.rank
           : r.state == store::CandidateState::accepted ? 1 << 28
           : r.state == store::CandidateState::queued   ? 1 << 30
                                                        : 1 << 29;
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::vector<std::vector<std::string>> lines;
  std::string unit, number = "Cost";
  for (const explore::CandidateRow& r : rows) {
    int registers = 0;
    for (const compile::KernelResources& k : r.resources) registers = std::max(registers, k.registers);
    if (r.score && unit.empty()) {
      number = store::number_word(r.score->provenance);
      unit = r.score->provenance == Provenance::simulated ? r.score->unit
                                                          : enum_string(r.score->provenance) + ", " + r.score->unit;
    }
    const bool titled = r.state == store::CandidateState::accepted && !r.title.empty() && !r.imported;
    const std::string partial =
        r.partial() ? fmt::format(", proved at {} of {} cases", r.cases->proved, r.cases->all) : std::string();
    const bool smaller = r.proved_at == evidence::ProvedAt::smaller_shapes;
    lines.push_back({!r.rank      ? "-"
                     : r.imported ? std::to_string(*r.rank) + " imported"
                                  : std::to_string(*r.rank),
                     std::to_string(r.id), r.hash.substr(0, 10), safe(r.structure.empty() ? "-" : r.structure),
                     r.score ? score_text(*r.score) + appraisal::spread_text(*r.score) : "-",
                     r.resources.empty() ? "-" : std::to_string(registers),
                     safe(r.state == store::CandidateState::queued ? "queued"
                          : !titled                                ? r.verdict
                          : smaller                                ? r.title + ", proved at smaller shapes only"
                                                                   : r.title + partial)});
  }
  std::string out = table({"#Rank", "#No.", "Hash", "Structure", "#" + number, "#Regs", "Candidate"}, lines);
  if (!unit.empty())
    out += number + ": " + unit + "; lower is better." +
           (number == "Time" ? " Cold L2 cache; the roofline's floor is modelled." : "") +
           " Regs: registers per thread, modelled by ptxas.\n";
  return out;
}

void warn_missing_protections(const std::vector<Protection>& sandbox) {
  const std::string missing = rpc::missing_text(sandbox);
  if (!missing.empty()) put(Stream::error, "warpwright-cli: the worker's sandbox lacks: " + missing + '\n');
}

Result<std::unique_ptr<store::Workspace>> open_workspace(const Common& common, Access access) {
  return store::Workspace::open(common.workspace.empty() ? store::default_workspace() : common.workspace, access);
}

Result<std::int64_t> run_number(store::Workspace& workspace, const std::string& text) {
  if (text.empty() || text == "last") {
    const std::vector<store::RunRecord> runs = WW_TRY(workspace.runs());
    if (runs.empty())
      return fail(Code::not_found, "the workspace '" + workspace.folder().string() + "' has no runs yet; '" +
                                       store::pasted(workspace.folder(), "explore") + "' starts one");
    return runs.front().id;
  }
  if (text.size() > 18 || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    return fail(Code::invalid_argument,
                "'" + text + "' is not a run number; '" + store::pasted(workspace.folder(), "list") + "' shows them");
  const std::int64_t number = std::stoll(text);
  if (const Result<store::RunRecord> run = workspace.run(number); !run)
    return fail(run.error().code,
                run.error().message + "; '" + store::pasted(workspace.folder(), "list") + "' shows the existing ones",
                run.error().cause);
  return number;
}

std::string resumed_text(const std::filesystem::path& workspace, const std::string& command, std::int64_t number) {
  return fmt::format("'{}' resumes it.", store::pasted(workspace, fmt::format("{} --resume {}", command, number)));
}

store::RunState state_of(const store::Workspace& workspace, const store::RunRecord& run) {
  return run.state == store::RunState::running && !explore::is_live(workspace, run.id) ? store::RunState::interrupted
                                                                                       : run.state;
}

}  // namespace ww::cli
