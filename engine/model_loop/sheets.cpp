// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include "base/device_name.h"
#include "generator/wrong_elements.h"
#include "model_loop/prompt_facts.h"
#include "model_loop/round.h"

namespace ww::model_loop {
namespace {

constexpr std::ptrdiff_t short_file = 60;  // lines; a reply gives it whole rather than edits of it

void add_text(llm::SheetText& to, const std::string& title, const llm::SheetText& more) {
  to.whole += title + more.whole;
  if (more.without_sources) to.without_sources = to.without_sources.value_or("") + title + *more.without_sources;
}

class SheetWriter {
 public:
  SheetWriter(Round& round, const generator::GeneratorRequest& request, const generator::Host& host,
              const Models& models, const Survey& survey, const std::vector<ReviewRequest>& requests,
              std::stop_token stop)
      : round_(round),
        request_(request),
        host_(host),
        models_(models),
        survey_(survey),
        requests_(requests),
        stop_(std::move(stop)) {}

  void write(Job& job) {
    const std::vector<const generator::Feedback*> seen = job.racer->sees(request_.history);
    std::vector<std::string> notes;
    const std::vector<const generator::Feedback*> attempts = job.racer->attempts(
        seen, job.task.lineage, job.task.parents.empty() ? std::string() : job.task.parents[0], notes);
    job.sheet = survey_.sheet;
    job.sheet["attempts"] =
        attempts_text(attempts, notes, score_unit(survey_.context),
                      job.task.parents.empty() ? std::string() : job.task.parents[0]) +
        lost_text(job.racer->lost, job.task.lineage, job.task.parents.empty() ? std::string() : job.task.parents[0]);
    job.sheet["structures"] = structures_text(seen, score_unit(survey_.context));
    job.origin = {job.racer->name, job.task.lineage, job.task.number, store::Step::fresh, {}, {}};
    const std::optional<store::CandidateRecord> parent = record_of(job, seen, 0);
    std::string what = parent ? add_parent(job, *parent) : "fresh attempt";
    if (!parent) add_other_structure(job);
    if (parent && job.task.kind != strategy::Task::Kind::fix) add_other_change(job, attempts);
    if (job.task.kind == strategy::Task::Kind::fix) job.sheet.erase("structures");
    if (const std::optional<store::CandidateRecord> other = record_of(job, seen, 1)) {
      job.sheet["other"] = code_text(other->text);
      add_text(job.sheet["parent_numbers"], "The other one:\n", numbers_text(survey_.context, *other));
      what += fmt::format(" and {}", other->id);
    }
    job.label = what + " [" + store::origin_text(job.origin) + "]";
    if (job.task.kind == strategy::Task::Kind::improve && parent && models_.cast.analyst) add_analysis(job, *parent);
  }

 private:
  std::optional<store::CandidateRecord> record_of(const Job& job, const std::vector<const generator::Feedback*>& seen,
                                                  std::size_t i) const {
    if (i >= job.task.parents.size()) return std::nullopt;
    for (const generator::Feedback* f : seen) {
      if (f->hash != job.task.parents[i]) continue;
      if (Result<store::CandidateRecord> c = host_.workspace.candidate(models_.recorded.number(f->hash, f->id)))
        return std::move(*c);
    }
    return std::nullopt;
  }

  // Of the fresh attempts of its strategy in this round, each another.
  void add_other_structure(Job& job) const {
    std::size_t siblings = 0, place = 0;
    for (const Job& other : round_.jobs) {
      if (other.racer != job.racer || !other.task.parents.empty() || other.task.kind == strategy::Task::Kind::ready)
        continue;
      if (&other == &job) place = siblings;
      ++siblings;
    }
    if (siblings > 1 || !job.sheet["structures"].whole.empty())
      job.sheet["other_structure"] = other_structure_text(place, siblings);
  }

  // Other attempts at its parent: those judged, those that came back as they were, and those of this round.
  void add_other_change(Job& job, const std::vector<const generator::Feedback*>& attempts) const {
    const std::string& parent = job.task.parents[0];
    const auto made = std::count_if(attempts.begin(), attempts.end(),
                                    [&](const generator::Feedback* f) { return f->parent == parent; });
    const auto lost = std::count_if(job.racer->lost.begin(), job.racer->lost.end(),
                                    [&](const Lost& l) { return l.parent == parent && !l.repeats.empty(); });
    std::size_t siblings = 0, place = 0;
    for (const Job& other : round_.jobs) {
      if (&other == &job) place = siblings;
      siblings +=
          other.racer == job.racer && other.task.kind == job.task.kind && other.task.parents == job.task.parents;
    }
    if (job.task.kind != strategy::Task::Kind::combine)  // which asks for what is best in both
      job.sheet["other_change"] = other_change_text(static_cast<std::size_t>(made + lost), place, siblings);
    job.repeats = static_cast<std::size_t>(lost);
  }

  // Returns what is done to it, for the label.
  std::string add_parent(Job& job, const store::CandidateRecord& parent) const {
    job.sheet["parent"] = code_text(parent.text);
    job.sheet["shown_parent"] = {"yes", "", {}};
    if (std::count(parent.text.begin(), parent.text.end(), '\n') > short_file) job.sheet["no_edits"] = {"", "yes", {}};
    job.sheet["parent_verdict"] = verdict_text(parent);
    const ReviewRequest* review = request_for(requests_, parent.hash);
    if (review) job.sheet["request"] = request_text(survey_.sheet.at("request").whole, *review);
    const auto [name, step] = job.revision                                 ? std::pair("revision", store::Step::revise)
                              : job.task.kind == strategy::Task::Kind::fix ? std::pair("fix", store::Step::fix)
                              : job.task.kind == strategy::Task::Kind::combine
                                  ? std::pair("combination", store::Step::combine)
                                  : std::pair("improvement", store::Step::improve);
    job.origin.step = step;
    job.origin.subject = parent.hash;
    if (job.task.kind == strategy::Task::Kind::fix) {
      job.sheet["failure"] = failure_text(parent);
      job.sheet["parent_verdict"] = ended_text(parent);
      job.sheet["wrong_elements"] = wrong_elements(parent);
    } else {
      job.sheet["parent_numbers"] = numbers_text(survey_.context, parent);
      job.sheet["advice"] = advice_facts(survey_.context, parent);
    }
    return fmt::format("{} of candidate {}", name, job.revision && review ? review->candidate : parent.id);
  }

  // Only where a repeated judgement gives the same: a replay asks again.
  llm::SheetText wrong_elements(const store::CandidateRecord& parent) const {
    const evidence::Failure* failure = parent.verdict ? evidence::failure_to_map(*parent.verdict) : nullptr;
    const bool elsewhere = parent.imported && host_.options.model.replay_of == 0;  // judged by others
    if (!failure || elsewhere) return {};
    const bool repeats = failure->depends_on == DependsOn::unknown || failure->depends_on == DependsOn::no_order;
    if (!repeats || !is_simt(host_.options.device)) return {};
    const Result<evidence::WrongMap> map = generator::wrong_elements(host_.workspace, parent.id, stop_);
    return map ? wrong_elements_text(*map) : llm::SheetText();
  }

  void add_analysis(Job& job, const store::CandidateRecord& parent) {
    if (const auto known = job.racer->studied.find(parent.hash);
        known != job.racer->studied.end() && known->second.open()) {
      job.known_diagnosis = known->second.diagnosis;
      job.inherited = known->second.inherited;
      job.turn = known->second.used++;
      return;
    }
    std::vector<Analysis>& all = round_.analyses;
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const Analysis& a) { return a.racer == job.racer && a.parent == parent.hash; });
    job.analysis = static_cast<std::size_t>(known - all.begin()) + 1;
    if (known != all.end()) return;
    Analysis a;
    a.racer = job.racer;
    a.parent = parent.hash;
    a.number = job.task.number;
    a.asked = job.asked;
    a.origin = job.origin;
    a.origin.step = store::Step::analyse;
    a.label = fmt::format("analysis of candidate {} [{}]", parent.id, store::origin_text(a.origin));
    a.sheet = {{"numbers", job.sheet["parent_numbers"]},
               {"lines", lines_text(parent)},
               {"verdict", job.sheet["parent_verdict"]}};
    for (const char* same : {"spec", "device", "simt", "parent", "attempts", "advice", "case"})
      a.sheet[same] = job.sheet[same];
    a.sheet["parent"].without_sources = "Withheld: the person sends no code to models. Judge by its numbers.";
    all.push_back(std::move(a));
  }

  Round& round_;
  const generator::GeneratorRequest& request_;
  const generator::Host& host_;
  const Models& models_;
  const Survey& survey_;
  const std::vector<ReviewRequest>& requests_;
  const std::stop_token stop_;
};

}  // namespace

const ReviewRequest* request_for(const std::vector<ReviewRequest>& requests, const std::string& hash) {
  const auto at =
      std::find_if(requests.begin(), requests.end(), [&](const ReviewRequest& r) { return r.hash == hash; });
  return at == requests.end() ? nullptr : &*at;
}

void write_sheets(Round& round, const generator::GeneratorRequest& request, const generator::Host& host,
                  const Models& models, const Survey& survey, const std::vector<ReviewRequest>& requests,
                  const std::stop_token& stop) {
  SheetWriter writer(round, request, host, models, survey, requests, stop);
  for (Job& job : round.jobs)
    if (job.task.kind != strategy::Task::Kind::ready && !job.earlier) writer.write(job);
}

}  // namespace ww::model_loop
