// SPDX-License-Identifier: Apache-2.0
#include "lesson/picture.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include "base/files.h"
#include "base/lines.h"
#include "base/plural.h"
#include "op/sentence/phrasebook.h"
#include "rpc/simulate.h"
#include "rpc/supervisor.h"
#include "sim/trace.h"

namespace ww::lesson {
namespace {

constexpr std::int64_t most_looked_at = 400;  // steps from a visit to the line on

Result<int> line_of(const std::string& text, const std::string& part) {
  int found = 0, number = 0;
  for (const std::string_view line : split_lines(text)) {
    ++number;
    if (line.find(part) == std::string_view::npos) continue;
    if (found > 0) return fail(Code::parse, fmt::format("lines {} and {} contain '{}'", found, number, part));
    found = number;
  }
  if (found == 0) return fail(Code::parse, "no line contains '" + part + "'");
  return found;
}

bool shows(const Picture& picture, const sim::StepFacts& step) {
  const auto space = picture.drawing == Drawing::banks ? sim::AccessedSpace::shared : sim::AccessedSpace::global;
  if (picture.drawing == Drawing::lanes)
    return std::ranges::any_of(step.registers, [](const sim::WrittenRegister& r) {
      return r.type.starts_with('f') || r.type.starts_with("bf");
    });
  return std::ranges::any_of(step.accesses, [&](const sim::SpaceAccess& a) {
    return a.space == space && (!picture.access || a.kind == *picture.access);
  });
}

const sim::StepFacts* found_in(const sim::Trace& trace, const Picture& picture, int line) {
  int nth = 0;
  for (const sim::StepFacts& s : trace.steps)
    if (s.line == line && shows(picture, s) && ++nth == picture.nth) return &s;
  return nullptr;
}

}  // namespace

Result<stepping::SteppedLaunch> subject_of(const Task& task, const std::string& kernel, const op::Library& library,
                                           const op::Binding& set) {
  const op::LibraryOp* const op = library.find(task.op);
  if (op == nullptr) return fail(Code::not_found, "the task's op '" + task.op + "' is not in the library");
  stepping::SteppedLaunch subject;
  subject.spec = WW_TRY(read_file(op->file));
  subject.candidate = kernel;
  if (set != op::Binding{}) subject.binding = stepping::binding_for(op->spec, set);
  return subject;
}

Result<Pictured> pictured(const Lesson& lesson, const Picture& picture, const op::Library& library,
                          rpc::Supervisor& worker, const std::stop_token& stop) {
  const std::vector<const Task*> tasks = lesson.all<Task>();
  if (tasks.empty()) return fail(Code::invalid_argument, "the lesson has no task");
  const Task& task = *tasks.front();
  Pictured out;
  out.block = picture.block;
  stepping::SteppedLaunch& subject = out.subject;
  subject = WW_TRY(subject_of(task, picture.of_solution ? task.solution : task.start, library, picture.binding));
  const int line = WW_TRY(line_of(subject.candidate, picture.at));
  const stepping::Prepared first = WW_TRY(stepping::prepare(subject, worker, stop));
  for (std::size_t i = 0; i < first.launches.size(); ++i) {  // the launch whose kernel has the line
    subject.launch = static_cast<int>(i);
    const stepping::Prepared ready = i == 0 ? first : WW_TRY(stepping::prepare(subject, worker, stop));
    rpc::TraceRequest request{ready.job, {}};
    sim::TraceQuery& q = request.query;
    q.block = picture.block;
    q.most = 1;
    q.until = sim::StopAt{sim::StopKind::line, line};
    q.until->warp = picture.warp;
    Result<sim::Trace> at = worker.trace(request, stop);
    for (int visit = 0; at; at = worker.trace(request, stop)) {
      if (at->arrival == sim::Arrival::there && ++visit == picture.visit) break;
      if (at->arrival != sim::Arrival::there && at->arrival != sim::Arrival::found) break;
      q.from = at->position;
    }
    if (!at && at.error().code != Code::invalid_argument) return tl::unexpected(at.error());
    if (!at || at->arrival != sim::Arrival::there) continue;
    q.until.reset();
    q.warp = picture.warp;
    q.from = at->position;
    q.most = most_looked_at;
    const sim::Trace steps = WW_TRY(worker.trace(request, stop));
    const sim::StepFacts* const found = found_in(steps, picture, line);
    if (found == nullptr) continue;
    out.step = *found;
    out.position = found->step + 1;
    q.from = q.to = out.position;
    q.most = 1;
    out.warps = WW_TRY(worker.trace(request, stop)).warps;
    return out;
  }
  return fail(Code::not_found, fmt::format("warp {} has no step at '{}' that shows {}", picture.warp, picture.at,
                                           enum_name(picture.drawing)));
}

std::string picture_text(const Picture& picture, const Pictured& what) {
  return picture.title + '\n' + step_text(picture.drawing, what.step);
}

std::string step_text(Drawing drawing, const sim::StepFacts& s) {
  std::string out = fmt::format("  line {}, warp {}: {}\n", s.line, s.warp, s.instruction);
  const auto active = static_cast<std::uint32_t>(std::stoul(s.active, nullptr, 16));
  std::string lanes;
  for (int lane = 0; lane < 32; ++lane) lanes += ((active >> lane) & 1) != 0 ? '#' : '.';
  out += fmt::format("  lanes 0 to 31  {}\n", lanes);
  if (drawing == Drawing::lanes) {
    for (const sim::WrittenRegister& r : s.registers)
      out += fmt::format("  {} = {}\n", r.name, fmt::join(r.values, " "));
    return out;
  }
  for (const sim::SpaceAccess& a : s.accesses) {
    const bool shared = a.space == sim::AccessedSpace::shared;
    if (shared != (drawing == Drawing::banks)) continue;
    std::map<std::int64_t, int> lanes_at;  // of each sector or bank
    for (const sim::LaneAccess& l : a.lanes) ++lanes_at[shared ? l.offset / 4 % 32 : l.offset / 32];
    std::set<std::string> buffers;
    for (const sim::LaneAccess& l : a.lanes) buffers.insert(l.buffer);
    out += fmt::format("  {}, lanes in each {}:", enum_string(a.kind),
                       shared ? "bank" : fmt::format("sector of {}", fmt::join(buffers, ", ")));
    for (const auto& [place, count] : lanes_at) out += fmt::format(" {}:{}", place, count);
    out += shared ? fmt::format("\n  {}, {}\n", plural(a.wavefronts, "wavefront"), plural(a.conflicts, "bank conflict"))
                  : fmt::format("\n  {}, {} of their bytes used, {} wasted\n", plural(a.sectors, "sector"), a.bytes,
                                a.wasted);
  }
  return out;
}

}  // namespace ww::lesson
