// SPDX-License-Identifier: Apache-2.0
// One round of requests to models: tasks of strategies with their prompt contents, and the analyses that they need.
#pragma once
#include <optional>
#include <stop_token>
#include <string>
#include <vector>
#include "model_loop/models.h"
#include "model_loop/racer.h"
#include "model_loop/review_requests.h"

namespace ww::model_loop {

struct Job {  // one task on its way to a candidate
  Racer* racer = nullptr;
  strategy::Task task;
  bool revision = false;  // requested by a reviewer
  bool asked = true;      // false: in the recorded run, which stopped before, it was not, and a replay does not ask it
  llm::Sheet sheet;
  std::string label;
  store::Origin origin;
  std::size_t analysis = 0;                       // 1 + place in Round::analyses; 0: none
  std::optional<llm::Diagnosis> known_diagnosis;  // from an earlier round
  bool inherited = false;                         // it: as in Studied
  std::size_t turn = 0;                           // number of earlier attempts with the same diagnosis
  std::size_t repeats = 0;                        // attempts at its parent that came back as a known candidate
  std::optional<llm::Settings> settings;          // other than those of its part
  std::optional<llm::Earlier> earlier;            // a request of an earlier process, which it goes on from
  Result<llm::Draft> draft = fail(Code::internal, "not asked");
  bool only_called = false;  // there is none since the model called tools to the end
  bool kept_back = false;    // not asked, since others of the round met an outage of the service
};
struct Analysis {  // of a parent to improve, for all tasks of its strategy
  Racer* racer = nullptr;
  std::string parent, label;
  store::Origin origin;
  std::uint64_t number = 0;  // of the first task that it is for
  bool asked = true;         // as in Job
  bool kept_back = false;    // as in Job
  llm::Sheet sheet;
  Result<llm::Diagnosis> diagnosis = fail(Code::internal, "not asked");
};
struct Round {
  std::vector<Job> jobs;
  std::vector<Analysis> analyses;
  const llm::Diagnosis* diagnosis_of(const Job& job) const {  // null: none
    if (job.known_diagnosis) return &*job.known_diagnosis;
    return job.analysis > 0 && analyses[job.analysis - 1].diagnosis ? &*analyses[job.analysis - 1].diagnosis : nullptr;
  }
};

const ReviewRequest* request_for(const std::vector<ReviewRequest>& requests, const std::string& hash);  // null: none

// Writes sheets and labels of all jobs, and adds the analyses.
void write_sheets(Round& round, const generator::GeneratorRequest& request, const generator::Host& host,
                  const Models& models, const Survey& survey, const std::vector<ReviewRequest>& requests,
                  const std::stop_token& stop);
// Asks the analyst, then the writer or the fixer; in parallel if the budget cannot run out within the round, since what
// fits then must not depend on timing. Where the service of one does not answer, others take its part (Cast) for the
// rest of the run, this round's open jobs first.
void ask(Round& round, const generator::Host& host, Models& models, const std::stop_token& stop);

}  // namespace ww::model_loop
