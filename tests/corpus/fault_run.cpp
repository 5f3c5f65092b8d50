// SPDX-License-Identifier: Apache-2.0
#include "fault_run.h"
#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include "base/files.h"
#include "expectation.h"
#include "explore/generators.h"
#include "explore/run.h"
#include "op/parse.h"
#include "store/workspace.h"

namespace ww::corpus {
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

fs::path faults_folder() { return resources_dir().parent_path() / "tests/corpus/faults"; }

Result<std::vector<FaultKernel>> fault_kernels(const fs::path& folder) {
  std::vector<FaultKernel> list;
  std::error_code ec;
  for (const fs::directory_entry& e : fs::directory_iterator(folder, ec)) {
    if (e.path().extension() != ".cu") continue;
    Result<std::string> text = read_file(e.path());
    if (!text) return fail(text.error());
    list.push_back({e.path().stem().string(), *text, comment(*text, "cuda"), comment(*text, "simt"),
                    !comment(*text, "extra").empty()});
  }
  if (ec) return fail(Code::io, "the folder of faults cannot be read", ec.message());
  std::sort(list.begin(), list.end(), [](const FaultKernel& a, const FaultKernel& b) { return a.name < b.name; });
  return list;
}

Result<std::string> relu_spec() { return read_file(resources_dir() / "ops/map/relu.op"); }

Result<std::vector<std::string>> good_candidates(const std::string& spec_text, const op::Binding& binding,
                                                 std::size_t count) {
  Result<std::unique_ptr<generator::Generator>> search = explore::make_generator("search");
  if (!search) return fail(search.error());
  generator::GeneratorRequest request;
  Result<op::Spec> spec = op::parse_spec(spec_text);
  if (!spec) return fail(spec.error());
  request.spec = std::move(*spec);
  request.binding = binding;
  request.device = "simt";
  request.architecture = "sm_80";
  std::vector<std::string> texts;
  std::set<std::string> known;
  while (texts.size() < count) {
    request.wanted = count - texts.size();
    Result<std::vector<generator::Proposal>> proposals = (*search)->propose(request, {});
    if (!proposals) return fail(proposals.error());
    if (proposals->empty())
      return fail(Code::not_found, "the search has only " + std::to_string(texts.size()) + " candidates of this op");
    for (const generator::Proposal& p : *proposals) {
      if (texts.size() < count && known.insert(p.text).second) texts.push_back(p.text);
      generator::Feedback& f = request.history.emplace_back();  // as if it had been judged, so that the search goes on
      f.text = p.text;
      f.structure = p.structure;
      f.accepted = f.ranked = true;
      f.score = static_cast<double>(request.history.size());
    }
  }
  return texts;
}

bool FaultRun::right() const {
  return state == "done" && lost == 0 && late == 0 &&
         std::all_of(rows.begin(), rows.end(), [](const FaultRow& r) { return r.wrong.empty(); });
}

namespace {

// Good candidates and faults in turn, into a run's options and its rows.
void give(const std::vector<FaultKernel>& faults, const std::vector<std::string>& goods, const std::string& device,
          generator::RunOptions& o, std::vector<FaultRow>& rows) {
  for (std::size_t i = 0; i < std::max(faults.size(), goods.size()); ++i) {
    if (i < goods.size()) {
      rows.push_back({"good " + std::to_string(i + 1), "accepted", "", "it has no verdict"});
      o.given.push_back({goods[i], candidate::Language::cuda, "", "", "good " + std::to_string(i + 1)});
    }
    if (i < faults.size()) {
      rows.push_back({faults[i].name, faults[i].expected(device), "", "it has no verdict"});
      o.given.push_back({faults[i].text, candidate::Language::cuda, "", "fault", faults[i].name});
    }
  }
  o.budget.candidates = static_cast<int>(o.given.size());
}

// What a run reported.
struct Reported {
  std::int64_t run = 0;
  std::map<std::int64_t, Clock::time_point> begun;
  std::map<std::int64_t, double> took;
  std::set<std::int64_t> fresh, judged;

  void take(const explore::Event& e) {
    if (const auto* s = std::get_if<explore::RunStarted>(&e)) run = s->run;
    if (const auto* p = std::get_if<explore::CandidateProgress>(&e)) begun.emplace(p->candidate, Clock::now());
    if (const auto* j = std::get_if<explore::CandidateJudged>(&e)) {
      took[j->row.id] = std::chrono::duration<double>(Clock::now() - begun[j->row.id]).count();
      judged.insert(j->row.id);
    }
    if (const auto* m = std::get_if<explore::RunMessage>(&e))
      if (m->text.find("fresh worker") != std::string::npos)
        fresh.insert(std::atoll(m->text.c_str() + std::string("candidate ").size()));
  }
};

// What counts is what a workspace that is opened again says.
Status read_back(const FaultRunOptions& options, Reported& reported, FaultRun& out) {
  const auto workspace = store::Workspace::open(options.workspace, store::Workspace::Access::write);
  if (!workspace) return fail(workspace.error());
  const Result<std::vector<store::CandidateRecord>> records = (*workspace)->candidates(reported.run);
  if (!records) return fail(records.error());
  std::set<std::int64_t> found;
  for (const store::CandidateRecord& c : *records) {
    const auto row =
        std::find_if(out.rows.begin(), out.rows.end(), [&](const FaultRow& r) { return r.name == c.note; });
    const Result<store::CandidateRecord> whole = (*workspace)->candidate(c.id);
    if (row == out.rows.end() || !whole || !whole->verdict || whole->verdict->candidate != c.hash) {
      if (row != out.rows.end())
        row->wrong = "the workspace has no verdict of it: " +
                     (whole ? enum_string(c.state) + " " + c.summary : whole.error().text());
      continue;
    }
    found.insert(c.id);
    row->seen = seen(*whole->verdict);
    row->wrong = mismatch(*whole->verdict, row->expected);
    row->seconds = reported.took[c.id];
    row->fresh_worker = reported.fresh.contains(c.id);
    for (const evidence::StageResult& s : whole->verdict->stages)
      if (s.failure && s.failure->fault) row->line = s.failure->fault->line;
    if (row->seconds > options.candidate_seconds + 1) ++out.late;  // a second to end the worker and to store
  }
  for (const std::int64_t id : reported.judged) out.lost += !found.contains(id);
  out.lost += static_cast<int>(out.rows.size()) - static_cast<int>(records->size());
  return {};
}

}  // namespace

Result<FaultRun> run_faults(const std::vector<FaultKernel>& faults, const std::vector<std::string>& goods,
                            const FaultRunOptions& options) {
  const Result<std::string> spec = relu_spec();
  if (!spec) return fail(spec.error());
  FaultRun out;
  generator::RunOptions o;
  o.spec = *spec;
  o.binding = options.binding;
  o.generator = "manual";
  o.device = options.device;
  o.architecture = options.architecture;
  o.seeds = options.seeds;
  o.workers = 1;
  o.candidate_seconds = options.candidate_seconds;
  o.worker = options.worker;
  give(faults, goods, options.device, o, out.rows);

  Reported reported;
  const Clock::time_point start = Clock::now();
  {
    const auto workspace = store::Workspace::open(options.workspace);
    if (!workspace) return fail(workspace.error());
    const Result<explore::RunEnded> ended =
        explore::run(**workspace, o, [&](const explore::Event& e) { reported.take(e); });
    if (!ended) return fail(ended.error());
    out.state = enum_string(ended->state);
    out.why = ended->why;
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (const Status read = read_back(options, reported, out); !read) return fail(read.error());
  return out;
}

}  // namespace ww::corpus
