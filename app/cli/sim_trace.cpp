// SPDX-License-Identifier: Apache-2.0
// A launch step by step: what each step wrote, where every thread is, and what the checks found.
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include "answer.h"
#include "base/files.h"
#include "base/plural.h"
#include "candidate/bare_kernel.h"
#include "console.h"
#include "interrupt.h"
#include "output.h"
#include "picture/lens_picture.h"
#include "rpc/simulate.h"
#include "sim.h"
#include "sim/case_file.h"
#include "sim/stop_text.h"
#include "stepping/element.h"
#include "stepping/moment.h"
#include "subject.h"

namespace ww::cli {
namespace {

constexpr std::int64_t usual_frames = 40;
constexpr double tolerated_ulps = 4;  // of the picture of errors
constexpr std::size_t most_values = 4, most_width = 60, most_warps = 8;

struct TraceArgs {
  std::filesystem::path file, picture;
  std::vector<std::string> checks, shows, set;
  std::string op, inputs;  // of a candidate; empty: as it says, normal
  std::optional<std::uint64_t> input_seed;
  std::optional<int> launch;  // from 1
  std::optional<std::uint64_t> seed;
  sim::TraceQuery query;
  std::string until;
  std::int64_t columns = 0;
  int thread = -1, seconds = 300;
  bool variables = false;
};

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 0) return std::nullopt;
  return n;
}

// Addresses are easier to read as hex numbers.
std::string value_text(const std::string& value) {
  const auto n = number(value);
  return n && *n >= std::int64_t{1} << 40 ? fmt::format("{:#x}", *n) : value;
}

std::string values_text(std::vector<std::string> values) {
  for (std::string& v : values) v = value_text(v);
  if (values.empty()) return "nothing";
  if (std::ranges::all_of(values, [&](const std::string& v) { return v == values[0]; }))
    return values[0] + (values.size() > 1 ? " in all" : "");
  if (values.size() <= most_values + 1) return fmt::format("{}", fmt::join(values, " "));
  return fmt::format("{} … {}", fmt::join(values.begin(), values.begin() + most_values, " "), values.back());
}

std::string access_text(const sim::SpaceAccess& a) {
  std::vector<std::string> buffers;
  for (const sim::LaneAccess& l : a.lanes)
    if (!l.buffer.empty() && std::ranges::count(buffers, l.buffer) == 0) buffers.push_back(l.buffer);
  const std::string verb = a.kind == simt::AccessKind::read    ? "reads"
                           : a.kind == simt::AccessKind::write ? "writes"
                                                               : "updates";
  const std::string place =
      buffers.empty() ? enum_string(a.space) + " memory" : fmt::format("{}", fmt::join(buffers, ", "));
  std::string text = fmt::format("{} {} of {}", verb, plural(a.bytes, "byte"), place);
  if (a.space == sim::AccessedSpace::shared)
    text += fmt::format(" in {}", plural(a.wavefronts, "wavefront"));
  else
    text += fmt::format(" in {} of {}", plural(a.sectors, "sector"), plural(a.lines, "line"));
  if (a.wasted > 0) text += fmt::format(", {} wasted", a.wasted);
  if (a.conflicts > 0) text += fmt::format(", {}", plural(a.conflicts, "bank conflict"));
  return text;
}

std::string did_text(const sim::StepFacts& s) {
  std::vector<std::string> parts;
  if (s.active == "0x00000000") parts.push_back("skipped: its guard is false");
  for (const sim::WrittenRegister& r : s.registers)
    if (!r.values.empty())
      parts.push_back(r.name + " = " + values_text(r.values) + (r.means.empty() ? "" : " (" + r.means + ")"));
  for (const sim::SpaceAccess& a : s.accesses) parts.push_back(access_text(a));
  if (s.released) parts.push_back("the threads at a barrier continue");
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string cut(const std::string& text) {
  return text.size() <= most_width ? text : text.substr(0, most_width - 3) + "...";
}

std::string line_text(int line) { return line > 0 ? std::to_string(line) : std::string(); }

std::string unwritten_text(const sim::Unwritten& u) {
  const std::string barrier = u.barrier < 0 ? "no barrier lies before the read"
                                            : fmt::format("the last barrier before the read is step {}", u.barrier);
  if (u.writer) return fmt::format("Written later, at step {}, by {}; {}.", u.step, site_text(*u.writer), barrier);
  return u.whole ? fmt::format("Nothing writes it later; {}.", barrier)
                 : fmt::format("Nothing writes it in the next {}; {}.", plural(u.looked, "step"), barrier);
}

// The other side of what a check found; empty: its message says all.
std::string other_side(const sim::StepFinding& f) {
  if (f.unwritten) return unwritten_text(*f.unwritten);
  if (!f.extent) return {};
  const sim::Extent& e = *f.extent;
  return fmt::format("{} has bytes 0 to {}{}; this access begins at byte {}.", e.buffer, e.bytes - 1,
                     e.elements > 0 ? fmt::format(", {} of {}", plural(e.elements, "element"), e.type) : "",
                     f.finding.offset);
}

std::string steps_text(const sim::Trace& t) {
  std::string out;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint32_t> block;
  const std::vector<std::string> head{"#Step", "#Warp", "#Line", "#PTX", "Active", "Instruction", "What it did"};
  const auto flush = [&] {
    if (!rows.empty()) out += table(head, rows);
    rows.clear();
  };
  for (const sim::StepFacts& s : t.steps) {
    if (s.block != block) {
      flush();
      block = s.block;
      out += fmt::format("{}Block ({})\n", out.empty() ? "" : "\n", fmt::join(block, ","));
    }
    rows.push_back({std::to_string(s.step), std::to_string(s.warp), line_text(s.line), line_text(s.ptx_line), s.active,
                    safe(cut(s.instruction)), safe(did_text(s))});
    for (const sim::StepFinding& f : t.findings)
      if (f.step == s.step) {
        rows.push_back({"", "", "", "", "", "^ " + safe(f.finding.check), safe(f.finding.message)});
        if (const std::string other = other_side(f); !other.empty())
          rows.push_back({"", "", "", "", "", "", safe(other)});
      }
  }
  flush();
  return out;
}

std::string warps_text(const sim::Trace& t) {
  if (t.ended) return {};
  std::string out = fmt::format("\nAt step {}, block ({})\n", t.position, fmt::join(t.block, ","));
  std::vector<std::vector<std::string>> rows;
  std::size_t shown = 0;
  for (const sim::WarpFacts& w : t.warps) {
    if (w.groups.empty() || shown++ >= most_warps) continue;
    for (const sim::GroupFacts& g : w.groups)
      rows.push_back({std::to_string(w.warp), g.mask, std::string(enum_name(g.state)), line_text(g.line),
                      line_text(g.ptx_line), safe(cut(g.instruction))});
  }
  out += table({"#Warp", "Lanes", "State", "#Line", "#PTX", "Instruction"}, rows);
  if (shown > most_warps) out += fmt::format("… and {} (--json shows all)\n", plural(shown - most_warps, "warp"));
  return out;
}

std::string values_row(const std::vector<std::string>& all) {
  std::vector<std::string> known;
  for (const std::string& v : all)
    if (!v.empty()) known.push_back(v);
  return values_text(std::move(known));
}

std::string variables_text(const sim::Trace& t, int warp) {
  std::string out = fmt::format("\nVariables of warp {}\n", warp);
  std::vector<std::vector<std::string>> rows;
  for (const sim::VariableFacts& v : t.variables)
    rows.push_back({safe(v.name), safe(v.type), v.known, safe(values_row(v.values))});
  if (rows.empty())
    out += "  none has a value here\n";
  else
    out += table({"Name", "Type", "Lanes", "Values"}, rows);
  if (t.live)
    out += fmt::format("Live registers of the PTX: {}, in {} of 32 bits (most in this function: {})\n",
                       t.live->registers.size(), plural(t.live->words, "word"), t.live->most_words);
  return out;
}

std::string totals_text(const sim::StepTotals& t) {
  return fmt::format(
      "\nSo far (simulated)\n  {}, {} by threads; {} of global memory in {}; {} of shared memory, {} for bank "
      "conflicts; "
      "{}\n",
      plural(t.steps, "step"), t.lanes, plural(t.bytes, "byte"), plural(t.sectors, "sector"),
      plural(t.wavefronts, "wavefront"), t.conflicts, plural(t.barriers, "barrier"));
}

std::string arrival_text(const sim::Trace& t, const sim::TraceQuery& q) {
  std::string out;
  const bool sought = q.until.has_value();
  switch (t.arrival) {
    case sim::Arrival::there:
      if (sought && q.back == 0) out += fmt::format("Stopped at step {}, as asked.\n", t.position);
      break;
    case sim::Arrival::ended:
      if (q.reverse)
        out += fmt::format("There is no such point before step {}: this is the beginning.\n", q.from);
      else if (sought)
        out += q.last ? "The launch never reaches that point.\n" : "The launch ended without reaching that point.\n";
      else
        out += fmt::format("The launch ended after {}.\n", plural(t.recorded, "step"));
      break;
    case sim::Arrival::found: out += "Stopped where a check found something.\n"; break;
    case sim::Arrival::limit:
      out += fmt::format("Stopped after {}, the most that a trace records.\n", plural(t.recorded, "step"));
      break;
    case sim::Arrival::cancelled: break;
  }
  if (t.lens) return out;
  if (t.left_out > 0)
    out += fmt::format(
        "{} before it are not shown: --from STEP begins elsewhere, --limit shows more at a time (at most {}).\n",
        plural(t.left_out, "step"), sim::most_traced);
  else if (!sought && q.to < 0 && q.back == 0 && !t.ended)
    out +=
        fmt::format("The launch continues: --from {} shows what follows, --limit shows more at a time (at most {}).\n",
                    t.end, sim::most_traced);
  return out;
}

std::string lens_text(const sim::Lens& lens) {
  const auto count = [](const std::vector<std::int64_t>& values) {
    return std::ranges::count_if(values, [](std::int64_t n) { return n != 0; });
  };
  const auto most = [](const std::vector<std::int64_t>& values) {
    return values.empty() ? 0 : *std::ranges::max_element(values);
  };
  return fmt::format("{}: {} of type {}; {} read, at most {}; {} written, at most {}\n", safe(lens.buffer),
                     plural(lens.reads.size(), "element"), safe(lens.type), count(lens.reads),
                     plural(most(lens.reads), "time"), count(lens.writes), plural(most(lens.writes), "time"));
}

std::string trace_text(const sim::Trace& t, const sim::TraceQuery& q) {
  std::string out = fmt::format("{}, {}\n", safe(t.kernel), safe(t.target));
  if (t.lens) return out + lens_text(*t.lens) + arrival_text(t, q);
  out += steps_text(t);
  out += warps_text(t);
  std::string found;
  for (const sim::StepFinding& f : t.findings) {
    const bool shown = std::ranges::any_of(t.steps, [&](const sim::StepFacts& s) { return s.step == f.step; });
    if (shown) continue;
    found += f.step < 0 ? "  in an earlier block" : fmt::format("  at step {}", f.step);
    found += fmt::format(", {}: {}\n", safe(f.finding.check), safe(f.finding.message));
  }
  if (!found.empty()) out += "\nFound at other steps\n" + found;
  if (!t.printed.empty()) out += "\nPrinted\n  " + safe_lines(t.printed, "  ") + '\n';
  if (q.registers >= 0) out += variables_text(t, q.registers);
  if (t.totals) out += totals_text(*t.totals);
  const std::string arrival = arrival_text(t, q);
  return out + (arrival.empty() ? "" : "\n" + arrival);
}

Exit exit_of(const sim::Trace& t, const sim::TraceQuery& q) {
  if (t.arrival == sim::Arrival::limit) return Exit::not_judged;
  if (t.arrival == sim::Arrival::found || (q.until && t.arrival == sim::Arrival::ended)) return Exit::negative;
  return Exit::done;
}

Result<std::vector<picture::Shows>> shown_by(const TraceArgs& args) {
  const auto bad = [](const std::string& why) { return fail(Code::invalid_argument, why); };
  const std::string kind = args.picture.extension().string();
  const bool is_picture = kind == ".svg" || kind == ".png" || kind == ".gif";
  if (!args.picture.empty() && (args.query.lens.empty() || !is_picture))
    return bad("--out is FILE.svg, FILE.png or FILE.gif, a picture of the buffer of --lens");
  if (args.picture.empty() && !args.shows.empty()) return bad("--show needs --out");
  std::vector<picture::Shows> out;
  for (const std::string& name : args.shows) {
    const auto one = enum_from_name<picture::Shows>(name);
    if (!one) return bad("--show has no '" + name + "'; there are " + enum_names<picture::Shows>());
    out.push_back(*one);
  }
  if (out.size() > 1 && kind != ".svg") return bad("a " + kind + " shows one thing; only SVG shows several");
  using enum picture::Shows;
  if (out.empty()) out = kind == ".svg" ? std::vector{writer, reads, writes} : std::vector{values};
  return out;
}

// What is stepped through: a case, or a candidate's launch.
struct Traced {
  sim::Job job;
  stepping::SteppedLaunch subject;
  std::optional<stepping::Prepared> prepared;  // of a candidate
};

bool is_candidate(const std::filesystem::path& file) { return file.extension() == ".cu" || file.extension() == ".ptx"; }

Result<stepping::SteppedLaunch> candidate_of(const TraceArgs& args) {
  const op::Library library = WW_TRY(op_library());
  const CommandSubject given = WW_TRY(resolve_candidate(library, args.file, args.op));
  const generator::Proposal& c = *given.candidate;
  if (!candidate::parse(c.text, c.language) && c.language == candidate::Language::cuda)
    if (const std::string advice = candidate::plan_advice(c.text, *given.spec); !advice.empty())
      return fail(Code::invalid_argument, "'" + args.file.string() + "' does not say how it is launched", advice);
  stepping::SteppedLaunch subject;
  subject.spec = given.text;
  subject.candidate = c.text;
  subject.language = c.language;
  subject.binding = WW_TRY(binding_of(*given.spec, args.set));
  if (!args.inputs.empty()) subject.distribution = WW_TRY(op::distribution_from_name(args.inputs));
  if (args.input_seed) subject.seed = *args.input_seed;
  subject.launch = args.launch.value_or(1) - 1;
  subject.debug = args.variables;
  return subject;
}

Result<Traced> traced(const TraceArgs& args, const std::stop_token& stop) {
  Traced out;
  if (is_candidate(args.file)) {
    out.subject = WW_TRY(candidate_of(args));
    rpc::Supervisor worker{rpc::WorkerOptions{}};
    out.prepared = WW_TRY(stepping::prepare(out.subject, worker, stop));
    out.job = out.prepared->job;
    return out;
  }
  if (!args.op.empty() || !args.set.empty() || args.launch || !args.inputs.empty() || args.input_seed)
    return fail(
        Code::invalid_argument,
        "--op, --set, --launch, --inputs and --input-seed are for FILE.cu and FILE.ptx; a case says all itself");
  Result<sim::Job> job = sim::read_case(args.file);
  if (!job) return fail(Code::invalid_argument, job.error().message, job.error().cause);
  out.job = std::move(*job);
  if (args.variables) out.job.debug = out.job.language == candidate::Language::cuda;
  return out;
}

std::string case_text(const Traced& t) {
  if (!t.prepared) return {};
  return fmt::format("{}, {} inputs, seed {}\n", safe(stepping::sizes_text(t.prepared->binding)),
                     op::distribution_name(t.subject.distribution), t.subject.seed);
}

std::optional<std::string> expected_of(const sim::Job& job, const std::string& buffer) {
  for (const sim::JobArgument& a : job.args)
    if (a.buffer && a.buffer->name == buffer) return a.buffer->expected;
  return std::nullopt;
}

// Absolute, in multiples of the type's spacing at the expected value.
std::vector<double> errors_of(const sim::Lens& lens, const std::optional<std::string>& expected) {
  const auto type = dtype_from_name(lens.type);
  std::vector<double> out;
  if (!type || !expected) return out;
  const Result<std::string> is = sim::bytes_of_hex(lens.content), should = sim::bytes_of_hex(*expected);
  const std::size_t size = dtype_size(*type);
  for (std::size_t i = 0; is && should && (i + 1) * size <= std::min(is->size(), should->size()); ++i) {
    const double a = load_f64(*type, is->data() + i * size), b = load_f64(*type, should->data() + i * size);
    out.push_back(is_real(*type) ? static_cast<double>(ulp_distance(*type, a, b)) / tolerated_ulps : a == b ? 0 : 1e6);
  }
  return out;
}

Status write_picture(const TraceArgs& args, const std::vector<picture::Shows>& shows, const sim::Lens& lens,
                     const Traced& of, const std::optional<std::string>& expected) {
  picture::LensLook look{args.columns, errors_of(lens, expected)};
  const bool errors = std::ranges::count(shows, picture::Shows::error) > 0;
  if (errors && of.prepared)
    look.errors = WW_TRY(stepping::errors_of(of.subject, *of.prepared, lens.buffer, lens.content));
  if (errors && look.errors.empty())
    return fail(Code::invalid_argument, "the case expects nothing of " + lens.buffer + ", so it has no error");
  const std::string kind = args.picture.extension().string();
  if (kind == ".svg") return write_file_atomic(args.picture, picture::lens_svg(lens, shows, look));
  const std::string bytes = WW_TRY(kind == ".gif" ? picture::lens_gif(lens, shows[0], look)
                                                  : picture::png_of(picture::lens_raster(lens, shows[0], look)));
  return write_file_atomic(args.picture, bytes);
}

Result<int> trace(const Common& common, TraceArgs& args) {
  sim::TraceQuery& q = args.query;
  if (q.reverse && (args.until.empty() || q.from == 0))
    return failed(common,
                  {Code::invalid_argument, "--reverse goes back from the step of --from to a place of --until", {}},
                  Exit::usage);
  if (!args.until.empty()) {
    const Result<sim::StopAt> at = sim::read_stop(args.until);
    if (!at) return failed(common, {at.error().code, "--until " + at.error().message, at.error().cause}, Exit::usage);
    q.until = *at;
    if (args.thread >= 0) q.until->thread = args.thread;
    if (at->kind != sim::StopKind::barrier && q.until->thread < 0 && q.until->warp < 0) q.until->warp = q.warp;
  }
  const Result<std::vector<picture::Shows>> shows = shown_by(args);
  if (!shows) return failed(common, shows.error(), Exit::usage);
  if (!q.lens.empty()) q.most = 1;
  if (args.variables) q.registers = std::max(q.warp, 0);
  if (args.picture.extension() == ".gif" && q.frames == 0) q.frames = usual_frames;
  const Interrupt interrupt(stopping);
  Result<Traced> of = traced(args, interrupt.token());
  if (!of) return failed(common, of.error(), exit_without_outcome(of.error().code));
  WW_TRY(choose(of->job, args.checks, args.seed));
  const std::optional<std::string> expected = expected_of(of->job, q.lens);
  rpc::Supervisor worker(worker_for(of->job));
  const Result<sim::Trace> t =
      worker.trace({std::move(of->job), q, std::chrono::seconds(args.seconds)}, interrupt.token());
  if (!t) return failed(common, t.error(), exit_without_outcome(t.error().code));
  if (!args.picture.empty()) {
    const Status drawn = write_picture(args, *shows, *t->lens, *of, expected);
    if (!drawn) return failed(common, drawn.error(), exit_without_outcome(drawn.error().code));
  }
  json::Json answer{{"case", args.file.string()}, {"trace", json::of(*t)}};
  if (of->prepared) answer["binding"] = json::of(of->prepared->binding);
  return print_answer(common, {answer, case_text(*of) + trace_text(*t, q), exit_of(*t, q)});
}

// A saved moment: the step that led there, and whether its state is the one that was saved, if that is known.
Result<int> moment(const Common& common, const TraceArgs& args) {
  const Result<stepping::Moment> m = stepping::read_moment(args.file);
  if (!m) return failed(common, m.error(), Exit::usage);
  const Interrupt interrupt(stopping);
  rpc::Supervisor worker{rpc::WorkerOptions{}};
  const stepping::Prepared prepared = WW_TRY(stepping::prepare(m->subject(), worker, interrupt.token()));
  sim::TraceQuery q;
  q.block = m->block;
  q.from = std::max<std::int64_t>(0, m->position - 1);
  q.to = m->position;
  q.state = q.totals = true;
  if (m->debug) q.registers = std::max(m->warp, 0);
  const sim::Trace t = WW_TRY(worker.trace({prepared.job, q, std::chrono::seconds(args.seconds)}, interrupt.token()));
  const bool known = !m->state.empty(), same = t.state == m->state;
  const std::string text =
      (m->title.empty() ? "" : safe(m->title) + '\n') + trace_text(t, q) +
      (!known ? "\nThe file has no state, so whether it is the same one is not known.\n"
       : same ? "\nThe state is the one that was saved.\n"
              : "\nThe state differs from the one that was saved: another compiler or program made that.\n");
  json::Json answer{{"file", args.file.string()}, {"trace", json::of(t)}};
  if (known) answer["same"] = same;
  return print_answer(common, {answer, text, known && !same ? Exit::negative : Exit::done});
}

}  // namespace

void add_sim_moment(Commands& commands, CLI::App& group) {
  const auto args = std::make_shared<TraceArgs>();
  CLI::App& app = commands.add_to(
      group, "moment", "shows a kernel at the step that a moment names",
      [args](const Common& common) { return moment(common, *args); }, Commands::Workspace::none);
  app.add_option("FILE", args->file, "FILE.wwmoment")->required();
}

void add_sim_trace(Commands& commands, CLI::App& group) {
  const auto args = std::make_shared<TraceArgs>();
  CLI::App& app = commands.add_to(
      group, "trace", "steps through a case's launch, forwards and back, and shows what each step did",
      [args](const Common& common) { return trace(common, *args); }, Commands::Workspace::none);
  sim::TraceQuery& q = args->query;
  const CLI::Range from_zero(0, 0x7fffffff);
  app.add_option("FILE", args->file, "CASE.json (docs/sim.md), or a candidate: FILE.cu or FILE.ptx")->required();
  app.add_option("--op", args->op, "of a candidate: a name in the library or FILE.op; default: the one that it names");
  add_settings(app, args->set, "of a candidate: " + std::string(a_setting) + "; default: a small case");
  app.add_option("--launch", args->launch,
                 "of a candidate: which launch of its plan, from 1; those before it run first")
      ->check(CLI::Range(1, 0x7fffffff));
  app.add_option("--inputs", args->inputs, "of a candidate: how inputs are drawn, as the gate has it; default: normal");
  app.add_option("--input-seed", args->input_seed, "of a candidate: their seed; default: 1")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--block", q.block, "x,y,z: only this block; those before it run first, unseen")
      ->delimiter(',')
      ->expected(1, 3);
  app.add_option("--warp", q.warp, "only steps of this warp of its block")->check(from_zero);
  app.add_option("--from", q.from, "the first step to show, from 0")->check(from_zero);
  app.add_option("--to", q.to, "stop before this step")->check(from_zero);
  app.add_option("--until", args->until,
                 "where to stop: step, line (another one), line:LINE, ptx:LINE, barrier, end, read:BUFFER[INDEX], "
                 "write:BUFFER[INDEX], 'VARIABLE "
                 "changes' or 'VARIABLE > NUMBER'; before it 'thread N' or 'warp N'");
  app.add_option("--thread", args->thread, "with --until: only this thread of its block (x fastest)")->check(from_zero);
  app.add_flag("--reverse", q.reverse, "with --until: back from the step of --from; end: to what a check found before");
  app.add_flag("--last", q.last, "with --until: the last such place in the launch, not the first");
  app.add_option("--back", q.back, "from there, go back this many steps of the warp")->check(from_zero);
  app.add_option("--limit", q.most, "steps to show at most")
      ->capture_default_str()
      ->check(CLI::Range(std::int64_t{1}, sim::most_traced));
  app.add_option("--lens", q.lens, "runs to the end, and counts reads and writes of each element of this buffer");
  add_output(app, "--out", args->picture,
             "FILE.svg, FILE.png or FILE.gif: a picture of the buffer; GIF: over the launch");
  app.add_option("--show", args->shows, "what the picture shows: " + enum_names<picture::Shows>() + "; SVG: several")
      ->delimiter(',');
  app.add_option("--frames", q.frames, "of a GIF; with --json, how often on the way the buffer is shown")
      ->check(CLI::Range(std::int64_t{0}, sim::most_lens_frames));
  app.add_flag(
      "--variables", args->variables,
      "compiles CUDA code without optimisation, and shows the variables of --warp (else of warp 0) at the end");
  app.add_flag("--totals", q.totals, "what all steps so far cost");
  app.add_option("--columns", args->columns, "elements per row of the picture")->check(from_zero);
  app.add_option("--checks", args->checks, "memory, races, init, sync; default: those of the case")->delimiter(',');
  app.add_option("--seed", args->seed,
                 "seed of what a program must not depend on, such as the order of blocks; default: the case's")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--seconds", args->seconds, "time limit of the worker, in seconds")
      ->capture_default_str()
      ->check(CLI::Range(1, 86400));
}

}  // namespace ww::cli
