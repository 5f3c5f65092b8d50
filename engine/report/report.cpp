// SPDX-License-Identifier: Apache-2.0
#include "report/report.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <fmt/format.h>
#include "base/device_name.h"
#include "base/files.h"
#include "evidence/describe.h"
#include "evidence/explain.h"
#include "explore/run.h"
#include "generator/run_options.h"
#include "report/race.h"
#include "appraisal/rank.h"
#include "report/html.h"
#include "identity/titles.h"
#include "rpc/worker_report.h"
#include "op/doubts.h"
#include "op/evaluate.h"
#include "op/parse.h"
#include "store/workspace.h"
#include "profile/timing_facts.h"
#include "store/words.h"

namespace ww::report {
namespace {

std::string provenance_of(const appraisal::Score& s) {
  const std::string provenance = enum_string(s.provenance);
  return s.unit.starts_with(provenance) ? s.unit : provenance + ", " + s.unit;
}

constexpr std::size_t chart_rows = 16, name_limit = 84, rejected_shown = 200;

struct Entry {
  explore::CandidateRow row;
  store::CandidateRecord record;  // with its verdict
  std::optional<appraisal::Cost> cost;
};

struct Data {
  store::RunRecord run;
  store::OpRecord op;
  std::vector<store::MessageRecord> messages;
  std::vector<Entry> entries;        // in order of id
  std::vector<const Entry*> ranked;  // accepted: by rank, then those without one
  appraisal::RankRules rules;
  std::optional<generator::RunOptions> options;
  bool measured() const {  // its ranking is one of times
    if (ranked.empty() || !ranked[0]->record.verdict) return false;
    const auto& metrics = ranked[0]->record.verdict->metrics;
    return metrics && metrics->provenance == Provenance::measured;
  }
};

std::string name_of(const Entry& e) {
  const std::string base = !e.row.title.empty()       ? e.row.title
                           : !e.row.structure.empty() ? e.row.structure
                                                      : "candidate";
  return fmt::format("#{} {}", e.row.id, base);
}

// For a table: long titles are shortened, tunings never, since they distinguish the rows.
std::string short_name(const Entry& e) {
  if (const auto c = candidate::parse(e.record.text, e.record.language)) {
    const std::string tuning = identity::tuning_text(identity::tuning_of(*c));
    if (!tuning.empty() && !c->title.empty()) return html::shorten(c->title, name_limit) + " (" + tuning + ")";
    if (!tuning.empty()) return tuning;
  }
  return html::shorten(e.row.title.empty() ? e.row.structure : e.row.title, name_limit);
}

Result<Data> gather(store::Workspace& workspace, std::int64_t id) {
  Data d;
  store::RunRecord run = WW_TRY(workspace.run(id));
  d.run = std::move(run);
  store::OpRecord op = WW_TRY(workspace.op(d.run.op));
  d.op = std::move(op);
  if (Result<std::vector<store::MessageRecord>> m = workspace.messages(id))
    d.messages = std::move(*m);
  else
    return fail(m.error());
  appraisal::RankRules rules = WW_TRY(appraisal::RankRules::load());
  d.rules = std::move(rules);
  if (Result<generator::RunOptions> options = generator::options_from_json(d.run.options))
    d.options = std::move(*options);
  std::vector<explore::CandidateRow> rows = WW_TRY(explore::rows_of(workspace, id));
  for (explore::CandidateRow& row : rows) {
    store::CandidateRecord record = WW_TRY(workspace.candidate(row.id));
    Entry e{std::move(row), std::move(record), {}};
    if (e.row.state == store::CandidateState::accepted && e.record.verdict && e.record.verdict->metrics &&
        e.record.verdict->metrics->provenance == Provenance::simulated)
      if (Result<appraisal::Cost> cost =
              appraisal::simulated_cost(d.rules, *e.record.verdict->metrics, d.run.architecture))
        e.cost = std::move(*cost);
    d.entries.push_back(std::move(e));
  }
  for (const Entry& e : d.entries)
    if (e.row.state == store::CandidateState::accepted) d.ranked.push_back(&e);
  std::stable_sort(d.ranked.begin(), d.ranked.end(), [](const Entry* a, const Entry* b) {
    return a->row.rank.value_or(1 << 30) < b->row.rank.value_or(1 << 30);
  });
  return d;
}

std::string header(const Data& d) {
  std::string out =
      fmt::format("<header><h1>{}</h1>\n<p class=\"soft\">Run {} on {} ({}), generator {}, {} UTC, {}</p></header>\n",
                  html::escape(d.op.name), d.run.id, html::escape(d.run.device), html::escape(d.run.architecture),
                  html::escape(d.run.generator), html::escape(d.run.created.substr(0, 16)), enum_string(d.run.state));
  if (const std::string mark = op::unconfirmed_text(d.op.text, op::Audience::reader); !mark.empty())
    out += fmt::format("<p><strong>{}.</strong></p>\n", html::escape(mark));
  std::set<std::string> structures;
  for (const Entry* e : d.ranked) structures.insert(e->row.structure);
  out += "<div class=\"tiles\">";
  const auto tile = [&](const std::string& value, const std::string& label) {
    out += fmt::format("<div><b>{}</b><span>{}</span></div>", html::escape(value), html::escape(label));
  };
  tile(std::to_string(d.run.proposed), "proposed");
  tile(std::to_string(d.run.judged), "judged");
  tile(std::to_string(d.run.accepted), "proved");
  tile(std::to_string(structures.size()), "structures proved");
  if (!d.ranked.empty() && d.ranked[0]->row.score)
    tile(html::number(d.ranked[0]->row.score->value), "best: " + provenance_of(*d.ranked[0]->row.score));
  return out + "</div>\n";
}

std::string operation(const Data& d, const op::Library* library) {
  std::string out = "<section><h2>What it computes</h2>\n";
  if (!d.op.sentence.empty()) {
    out += fmt::format("<p>Asked for: <q>{}</q></p>\n", html::escape(d.op.sentence));
    if (library) {
      const op::Understanding u = op::understand(*library, d.op.sentence);
      out += "<h3>How the sentence was understood</h3>\n<table class=\"facts\"><tbody>\n";
      for (const op::Word& w : u.words)
        out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", html::escape(w.text),
                           html::escape(op::meaning_name(w.meaning)), html::escape(w.reading));
      out += "</tbody></table>\n";
    }
  }
  out += "<h3>Specification, which is also the reference</h3>\n" + html::pre(d.op.text);
  const Result<op::Spec> spec = op::parse_spec(d.op.text);
  if (spec) {
    if (const Result<std::string> example = op::worked_example(*spec))
      out += "<h3>Worked example</h3>\n" + html::pre(*example);
  }
  return out + "</section>\n";
}

std::string environment(const Data& d) {
  std::vector<std::pair<std::string, std::string>> rows = {
      {"Device",
       is_simt(d.run.device) ? "simt: the SIMT machine, which executes the kernels' PTX on the CPU" : d.run.device},
      {"Architecture compiled for", d.run.architecture},
      {"Generator", d.run.generator},
      {"Started (UTC)", d.run.created},
      {"Ended (UTC)", d.run.ended.empty() ? "not ended" : d.run.ended}};
  if (d.options) {
    rows.emplace_back("Input sets per case", std::to_string(d.options->seeds));
    std::string budget = d.options->budget.candidates > 0 ? std::to_string(d.options->budget.candidates) + " candidates"
                                                          : "no limit of candidates";
    if (d.options->budget.minutes > 0) budget += fmt::format(", {:g} minutes", d.options->budget.minutes);
    if (d.options->budget.tokens > 0) budget += fmt::format(", {} tokens", d.options->budget.tokens);
    if (d.options->budget.money > 0) budget += fmt::format(", ${:g}", d.options->budget.money);
    rows.emplace_back("Budget", budget);
    if (const std::string binding = evidence::binding_text(d.options->binding); !binding.empty())
      rows.emplace_back("Set by the person", binding);
  }
  for (const store::MessageRecord& m : d.messages)
    if (m.level == store::MessageLevel::environment)
      for (auto& fact : rpc::worker_facts(m.text)) rows.push_back(std::move(fact));
  return "<section><h2>Environment</h2>\n" + html::facts(rows) + "</section>\n";
}

std::string resources_text(const std::vector<compile::KernelResources>& list, const char* what) {
  std::string text;
  for (const compile::KernelResources& k : list) {
    const std::int64_t value = std::string_view(what) == "registers" ? k.registers : k.static_shared;
    text += (text.empty() ? "" : " / ") + html::number(static_cast<double>(value));
  }
  return text.empty() ? "not known" : text;
}

std::string ranked_table(const Data& d) {
  std::string out = "<section><h2>Candidates</h2>\n";
  if (d.entries.empty()) return out + "<p>No candidate was proposed in this run.</p></section>\n";
  out +=
      "<div class=\"wide\"><table class=\"ranked\"><thead><tr><th class=\"num\">Rank</th><th "
      "class=\"num\">No.</th><th>Candidate</th><th>Structure</th><th>Verdict</th>"
      "<th class=\"num\">";
  // A time has a spread and can be held against what the hardware allows; a simulated cost has neither.
  out += d.measured() ? "Time, µs</th><th class=\"num\">Quartiles, µs</th><th class=\"num\">Of the roofline" : "Cost";
  out +=
      "</th><th>Provenance</th><th class=\"num\">Registers</th><th class=\"num\">Shared, "
      "bytes</th></tr></thead><tbody>\n";
  const auto spread = [&](const std::optional<appraisal::Score>& s) -> std::string {
    if (!d.measured()) return {};
    const std::string quartiles =
        s && std::isfinite(s->q1) && std::isfinite(s->q3) ? html::number(s->q1) + " to " + html::number(s->q3) : "–";
    const double fraction = s ? profile::floor_fraction(s->floor, s->value) : profile::unknown;
    const std::string share = std::isfinite(fraction) ? fmt::format("{:.0f} %", 100 * fraction) : "–";
    return fmt::format("<td class=\"num\">{}</td><td class=\"num\">{}</td>", quartiles, share);
  };
  std::vector<const Entry*> all = d.ranked;
  for (const Entry& e : d.entries)
    if (e.row.state != store::CandidateState::accepted) all.push_back(&e);
  for (const Entry* e : all)
    out += fmt::format(
        "<tr><td class=\"num\">{}</td><td class=\"num\">{}</td><td class=\"name\" title=\"{}\">{}<br/><code "
        "class=\"soft\">{}</code></td><td class=\"word\">{}</td>"
        "<td class=\"verdict {}\">{}</td><td class=\"num\">{}</td>{}<td>{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td></tr>\n",
        e->row.rank ? std::to_string(*e->row.rank) + (e->row.imported ? " (imported)" : "") : "–", e->row.id,
        html::escape(e->row.title), html::escape(short_name(*e)), html::escape(e->row.hash.substr(0, 12)),
        html::escape(html::shorten(e->row.structure, 40)),
        enum_string(e->row.imported ? store::CandidateState::unknown : e->row.state),
        html::escape(html::shorten(e->row.verdict.empty() ? store::word_of(e->row.state) : e->row.verdict, 160)),
        e->row.score ? html::number(e->row.score->value) : "–", spread(e->row.score),
        e->row.score ? html::escape(d.measured() ? enum_string(e->row.score->provenance) : provenance_of(*e->row.score))
                     : (e->row.state != store::CandidateState::accepted ? "–"
                        : d.measured()                                  ? "not ranked: see the log"
                                                                        : "not measured"),
        resources_text(e->row.resources, "registers"), resources_text(e->row.resources, "shared"));
  return out + "</tbody></table></div>\n<p class=\"soft\">Registers and static shared memory: modelled by ptxas for " +
         html::escape(d.run.architecture) + ", one number per kernel." +
         (d.measured() ? " Time: measured, the median of the plan's executions with a cold L2 cache, with the "
                         "quartiles beside it. Of the roofline: the modelled floor of the op's "
                         "bytes and operations on this device, as a share of the time."
                       : "") +
         "</p></section>\n";
}

std::string charts(const Data& d) {
  std::string body;
  std::vector<const Entry*> judged;
  for (const Entry& e : d.entries)
    if (e.record.order > 0) judged.push_back(&e);
  std::sort(judged.begin(), judged.end(),
            [](const Entry* a, const Entry* b) { return a->record.order < b->record.order; });
  std::vector<html::Dot> dots;
  double best = 0;
  std::string unit;
  for (std::size_t i = 0; i < judged.size(); ++i) {
    const explore::CandidateRow& row = judged[i]->row;
    if (!row.score || !row.rank) continue;
    unit = provenance_of(*row.score);
    const bool better = dots.empty() || row.score->value < best;
    if (better) best = row.score->value;
    dots.push_back({static_cast<double>(i + 1), row.score->value,
                    name_of(*judged[i]) + ": " + html::number(row.score->value), better});
  }
  body += html::dots(d.measured() ? "Time of each proved candidate, and the best so far"
                                  : "Cost of each proved candidate, and the best so far",
                     dots, "in the order of judgement", unit);

  std::vector<html::Bar> parts, registers, shared;
  for (const Entry* e : d.ranked) {
    if (parts.size() >= chart_rows || registers.size() >= chart_rows) break;
    if (e->cost) {
      html::Bar bar{name_of(*e), {}, {}};
      for (const appraisal::CostPart& p : e->cost->parts) bar.values.push_back(p.cost);
      parts.push_back(std::move(bar));
    }
    if (!e->row.resources.empty()) {
      double r = 0, s = 0;
      for (const compile::KernelResources& k : e->row.resources) {
        r = std::max(r, static_cast<double>(k.registers));
        s = std::max(s, static_cast<double>(k.static_shared));
      }
      registers.push_back({name_of(*e), {r}, {}});
      shared.push_back({name_of(*e), {s}, {}});
    }
  }
  std::vector<std::string> names;
  for (const profile::CostGroup group : d.rules.groups) names.push_back(enum_string(group));
  body += html::bars("Composition of the cost, best first", names, parts, d.rules.unit);
  names.clear();
  std::vector<html::Bar> outcomes;
  for (const Entry& e : d.entries) {
    const std::string name = e.row.structure.empty() ? "(not named)" : e.row.structure;
    auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end()) {
      names.push_back(name);
      outcomes.push_back({name, {0, 0, 0, 0, 0}, {}});
      it = names.end() - 1;
    }
    outcomes[static_cast<std::size_t>(it - names.begin())]
        .values[e.row.state == store::CandidateState::accepted    ? 0
                : e.row.state == store::CandidateState::rejected  ? 1
                : e.row.state == store::CandidateState::queued    ? 2
                : e.row.state == store::CandidateState::duplicate ? 3
                                                                  : 4] += 1;
  }
  for (html::Bar& b : outcomes)
    b.note = fmt::format("{:g} of {:g} proved", b.values[0], std::accumulate(b.values.begin(), b.values.end(), 0.0));
  body += html::bars("Verdicts by structure", {"proved", "rejected", "queued", "the same as another", "not judged"},
                     outcomes, "candidates");
  body += html::bars("Registers per thread, largest kernel (modelled by ptxas)", {"registers"}, registers,
                     "registers per thread");
  body += html::bars("Static shared memory per block, largest kernel (modelled by ptxas)", {"shared memory"}, shared,
                     "bytes");
  return body.empty() ? std::string() : "<section><h2>Charts</h2>\n" + body + "</section>\n";
}

std::string best_candidate(const Data& d, store::Workspace& workspace) {
  if (d.ranked.empty()) return {};
  const Entry& e = *d.ranked[0];
  std::string out = "<section><h2>" + std::string(e.row.rank ? "Best candidate" : "Proved candidate") +
                    (e.row.imported ? " (imported, not judged here): " : ": ") +
                    html::escape(html::shorten(name_of(e), name_limit)) + "</h2>\n";
  std::vector<std::pair<std::string, std::string>> rows = {{"Hash", e.row.hash}, {"Verdict", e.row.verdict}};
  if (!e.record.note.empty()) rows.emplace_back("Why it was tried", e.record.note);
  if (e.record.verdict) {
    std::string cases;
    for (const evidence::CaseCoverage& c : e.record.verdict->coverage) {
      cases += fmt::format("{}{} ({}): {}", cases.empty() ? "" : "; ", c.case_name, evidence::binding_text(c.binding),
                           evidence::coverage_text(*e.record.verdict, c));
    }
    if (!cases.empty()) rows.emplace_back("Cases", cases);
  }
  if (e.row.score && e.row.score->provenance == Provenance::measured)
    rows.emplace_back("Time, measured", html::number(e.row.score->value) + " " + e.row.score->unit +
                                            appraisal::spread_text(*e.row.score));
  if (e.record.verdict && e.record.verdict->metrics)
    for (const auto& [name, value] : evidence::condition_rows(e.record.verdict->metrics->conditions))
      rows.emplace_back("Measured with: " + name, value);
  if (e.record.verdict && e.record.verdict->metrics)
    if (const std::string floor = evidence::floor_text(*e.record.verdict->metrics); !floor.empty())
      rows.emplace_back("Measured with: floor", floor);
  out += html::facts(rows);
  std::map<int, double> weight;
  double total = 0;
  if (e.record.verdict && e.record.verdict->metrics)
    for (const evidence::LineCount& l : e.record.verdict->metrics->lines) {
      weight[l.line] = static_cast<double>(l.warp_instructions);
      total += static_cast<double>(l.warp_instructions);
    }
  out += "<h3>Source" +
         std::string(total > 0 ? ", with each line's share of the warp instructions (" +
                                     enum_string(e.record.verdict->metrics->provenance) + ")"
                               : "") +
         "</h3>\n";
  out += html::listing(e.record.text, weight, total);
  if (!e.row.parent.empty()) {
    const Result<store::CandidateRecord> parent = workspace.find_candidate(e.row.parent);
    if (parent) {
      const std::vector<diff::DiffLine> lines = diff::diff_lines(parent->text, e.record.text);
      out += fmt::format("<h3>Changes from its parent, candidate {}</h3>\n", parent->id) +
             (lines.empty() ? "<p>The texts are equal.</p>\n" : html::diff(lines));
    }
  }
  return out + "</section>\n";
}

std::string rejected(const Data& d) {
  std::string items;
  std::size_t count = 0;
  for (const Entry& e : d.entries) {
    const bool unjudged = e.row.state == store::CandidateState::not_judged;
    if (e.row.state != store::CandidateState::rejected && !unjudged) continue;
    if (++count > rejected_shown) continue;
    const std::string why = e.record.verdict ? evidence::failure_text(*e.record.verdict) : e.row.verdict;
    items +=
        fmt::format("<details><summary>{} <span class=\"{}\">{}</span></summary>\n{}{}</details>\n",
                    html::escape(html::shorten(name_of(e), name_limit)), unjudged ? "unjudged" : "rejected",
                    html::escape(html::shorten(e.row.verdict, 160)), html::pre(why, "log"), html::pre(e.record.text));
  }
  if (items.empty()) return {};
  if (count > rejected_shown) items += fmt::format("<p>{} more are in the workspace.</p>\n", count - rejected_shown);
  return fmt::format("<section><h2>Not proved ({})</h2>\n{}</section>\n", count, items);
}

std::string weights(const appraisal::RankRules& rules) {
  std::string out;
  for (const std::string& line : rules.about) out += "<p>" + html::escape(line) + "</p>\n";
  out += "<details><summary>Weights of the simulated cost</summary>\n<table class=\"facts\"><tbody>\n";
  for (const appraisal::RankRules::Term& t : rules.terms) {
    std::string text;
    for (const auto& [sm, w] : t.weight) text += fmt::format("{}sm_{}: {:g}", text.empty() ? "" : ", ", sm, w);
    out += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>\n", html::escape(t.metric),
                       html::escape(text), html::escape(t.source));
  }
  return out + "</tbody></table></details>\n";
}

std::string closing(const Data& d) {
  std::string out =
      "<section><h2>How to read the numbers</h2>\n<p>Every number is marked with its provenance: <b>measured</b> (on a "
      "device), <b>simulated</b> "
      "(counted by the SIMT machine), <b>modelled</b> (a formula or ptxas), or not measured. The kinds are never "
      "compared with one another.</p>\n";
  if (d.measured()) {
    out +=
        "<p>Candidates are ranked by their measured time. A time shorter than any right kernel can take on the device "
        "is impossible: such a candidate stays "
        "proved and has no rank.</p>\n";
  } else {
    out += weights(d.rules);
  }
  std::string log;
  for (const store::MessageRecord& m : d.messages)
    if (m.level != store::MessageLevel::environment)
      log += m.created + " " + enum_string(m.level) + ": " + m.text + "\n";
  if (!log.empty()) out += "<h3>Log of the run</h3>\n" + html::pre(log, "log");
  return out + "</section>\n";
}

}  // namespace

Result<std::string> html_report(store::Workspace& workspace, std::int64_t run, const ReportOptions& options) {
  const Result<std::string> css = read_file(resources_dir() / "report/report.css");
  if (!css) return fail(css.error().code, "the report's style sheet cannot be read", css.error().text());
  const Data d = WW_TRY(gather(workspace, run));
  const Race race = WW_TRY(race_of(workspace, run));
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\"><head><meta "
             "charset=\"utf-8\"/>\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
             "'unsafe-inline'\"/>\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}, run "
             "{}</title>\n<style>\n{}</style></head>\n<body>\n",
             html::escape(d.op.name), run, *css) +
         header(d) + operation(d, options.library) + ranked_table(d) + charts(d) + race_html(race) +
         best_candidate(d, workspace) + rejected(d) + environment(d) + closing(d) + "</body></html>\n";
}

}  // namespace ww::report
